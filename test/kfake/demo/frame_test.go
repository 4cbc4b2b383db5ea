package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestFrameGolden(t *testing.T) {
	for _, tc := range []struct {
		name          string
		now           time.Duration
		width, height int
		want          string
	}{
		{name: "in the middle, side by side", now: 4500 * time.Millisecond, width: 79, height: 23, want: `
UNPATCHED  one broker after another    | PATCHED  jittered fanout
broker   0 s                       9 s | broker   0 s                       9 s
1 hangs |===!==!==x                    | 1 hangs |=====
2 hangs |         ===!==               | 2 hangs | ====
3 hangs |                              | 3 hangs |   ==
4 fine  |                              | 4 fine  |    *
5 fine  |                              | 5 fine  |
 4.5 s, waiting for broker 2           | DONE in 1.50 s
  0.00 s  ask broker 1                 |   0.00 s  ask broker 1
  1.00 s  1 silent (ApiVersions)       |   0.50 s  ask broker 2
  2.00 s  1 silent (ApiVersions)       |   1.00 s  ask broker 3
  3.00 s  1 silent (Metadata)          |   1.50 s  ask broker 4
  3.00 s  1 given up                   |   1.50 s  4 answers
  3.00 s  ask broker 2                 |   1.50 s  refresh done
  4.00 s  2 silent (ApiVersions)       |
                                       |

= waiting, ! no answer, x given up, * answered with metadata
`},
		{name: "two waited for, low terminal without room for the log", now: 700 * time.Millisecond, width: 79, height: 11, want: `
UNPATCHED  one broker after another    | PATCHED  jittered fanout
broker   0 s                       9 s | broker   0 s                       9 s
1 hangs |===                           | 1 hangs |===
2 hangs |                              | 2 hangs | ==
3 hangs |                              | 3 hangs |
4 fine  |                              | 4 fine  |
5 fine  |                              | 5 fine  |
 0.7 s, waiting for broker 1           |  0.7 s, waiting for broker 1, 2

= waiting, ! no answer, x given up, * answered with metadata
`},
		{name: "at the end, narrow", now: 9100 * time.Millisecond, width: 39, height: 30, want: `
UNPATCHED  one broker after another
broker   0 s                        9 s
1 hangs |===!==!===x
2 hangs |          ===!==!===x
3 hangs |                    ===!==!==x
4 fine  |                             *
5 fine  |
DONE in 9 s

PATCHED  jittered fanout
broker   0 s                        9 s
1 hangs |======
2 hangs | =====
3 hangs |   ===
4 fine  |     *
5 fine  |
DONE in 1.50 s

= waiting, ! no answer, x given up, *
answered with metadata
`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := "\n" + strings.Join(frame(scripted(tc.now), tc.now, tc.width, tc.height, false), "\n") + "\n"
			if got != tc.want {
				t.Errorf("got:%s\nwant:%s", got, tc.want)
			}
		})
	}
}

// A line that is too long wraps, and the next drawing lands in the wrong place.
func TestFrameFitsEveryTerminal(t *testing.T) {
	for width := minWidth - 1; width <= 220; width++ {
		for height := minHeight - 1; height <= 60; height++ {
			lines := frame(scripted(time.Minute), 9100*time.Millisecond, width, height, false)
			if len(lines) > height {
				t.Fatalf("%d lines on a terminal of %d by %d", len(lines), width, height)
			}
			for _, line := range lines {
				if len(line) > width {
					t.Fatalf("%d characters on a terminal of %d by %d: %q", len(line), width, height, line)
				}
			}
		}
	}
}

func TestFrameColorsChangeNoCharacter(t *testing.T) {
	colored := strings.Join(frame(scripted(time.Minute), 9100*time.Millisecond, 79, 23, true), "\n")
	plain := strings.Join(frame(scripted(time.Minute), 9100*time.Millisecond, 79, 23, false), "\n")
	if !strings.Contains(colored, "\x1b[1;32m*\x1b[0m") {
		t.Errorf("the answer is not green:\n%q", colored)
	}
	if got := sgr.ReplaceAllString(colored, ""); got != plain {
		t.Errorf("without its colors:\n%s\nwant:\n%s", got, plain)
	}
	if strings.Contains(plain, "\x1b") {
		t.Errorf("escape codes without colors:\n%q", plain)
	}
}

// Slower than expected: the scale grows rather than draw outside.
func TestFrameScaleGrows(t *testing.T) {
	lines := frame(scripted(4*time.Second), 20*time.Second, 79, 23, false)
	if want := "0 s                      20 s"; !strings.Contains(lines[1], want) {
		t.Errorf("scale %q, want %q in it", lines[1], want)
	}
}

func TestFrameOfAFailure(t *testing.T) {
	tl := scripted(time.Second)
	tl.add(unpatched, event.Event{At: 1200 * time.Millisecond, Kind: event.DialFailed, Broker: 1, Detail: "refused"})
	tl.add(unpatched, event.Event{At: 1300 * time.Millisecond, Kind: event.Failed, Detail: errors.New("out of brokers").Error()})
	got := strings.Join(frame(tl, 2*time.Second, 79, 23, false), "\n")
	for _, want := range []string{"FAILED: out of brokers", "1.20 s  1 not reachable", "1.30 s  refresh failed"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
}
