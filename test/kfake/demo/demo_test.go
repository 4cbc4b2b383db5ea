package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// ownTemp gives the test a temporary folder of its own and returns a check that the demo left nothing in it. (The Go
// command builds there too, and tidies up behind itself.)
func ownTemp(t *testing.T) func() {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a path with spaces")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	return func() {
		t.Helper()
		left, err := filepath.Glob(filepath.Join(dir, "sarama-fanout-demo-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// The whole demo, with timeouts of a second: both builds, both timelines, the ratio, nothing left.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	nothingLeft := ownTemp(t)
	var out bytes.Buffer
	began := time.Now()
	tl, err := demo(context.Background(), time.Second, &plainScreen{w: &out})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Logf("took %s:\n%s", time.Since(began).Round(time.Millisecond), out.String())
	nothingLeft()

	for side, s := range tl.sides {
		if s.end.Kind != event.Done {
			t.Errorf("%s ended with %q %s", sideNames[side], s.end.Kind, s.end.Detail)
		}
		for broker := 1; broker <= 3; broker++ {
			if len(s.spans[broker]) == 0 || s.spans[broker][0].how == answered {
				t.Errorf("%s: broker %d should have been asked and not have answered: %+v", sideNames[side], broker, s.spans[broker])
			}
		}
		if len(s.spans[4]) != 1 || s.spans[4][0].how != answered {
			t.Errorf("%s: broker 4 should have answered: %+v", sideNames[side], s.spans[4])
		}
	}
	// Nine timeouts of a second against three staggers of about half a second.
	if r := tl.ratio(); r < 3 {
		t.Errorf("patched is %.1f times faster, want 3 at least", r)
	}
	for _, want := range []string{
		"unpatched  broker 1: ApiVersions timed out",
		"patched    broker 4: Metadata answered",
		"UNPATCHED  one broker after another",
		"| PATCHED  jittered fanout",
		"times faster",
		"timeouts: 1 s to dial, read and write, for both builds",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("escape codes in plain output")
	}
}

// Ctrl-C in the middle: the demo ends at once, and leaves nothing.
func TestDemoStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the clients")
	}
	nothingLeft := ownTemp(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stderr bytes.Buffer
	stopped := make(chan time.Time, 1)
	out := &trigger{word: "refresh starts", pulled: func() {
		stopped <- time.Now()
		cancel()
	}}
	code := run(ctx, []string{"-timeout", "20s"}, out, &stderr)
	if code != 130 || !strings.Contains(stderr.String(), "stopped") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	if took := time.Since(<-stopped); took > 5*time.Second {
		t.Errorf("it went on for %s", took)
	}
	nothingLeft()
}

// trigger is a writer that acts when a word is written to it.
type trigger struct {
	word   string
	pulled func()
	done   bool
}

func (w *trigger) Write(p []byte) (int, error) {
	if !w.done && bytes.Contains(p, []byte(w.word)) {
		w.done = true
		w.pulled()
	}
	return len(p), nil
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"-timeout", "0s"}, {"extra"}, {"-unknown"}} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), args, &stdout, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%v: exit code %d, said %q", args, code, stderr.String())
		}
	}
}
