package main

import (
	"fmt"
	"strings"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// intro says what is about to be seen, before the first event. Each text is a paragraph.
func intro(plain, fanout event.Event, timeout time.Duration) []string {
	return []string{
		"",
		"One program (demo/client), built twice, starts at the same time on both sides and makes a Sarama client, which refreshes its metadata.",
		"- unpatched: " + plain.Detail + ", as released",
		"- patched: " + fanout.Detail + " with this repository's patches; defaults: " + fanout.Fanout,
		fmt.Sprintf("- cluster: %d kfake brokers on loopback; 1, 2 and 3 hang: they accept connections and stay silent, as a stopped process does. 4 and 5 are healthy.", brokerCount),
		"- order: Sarama shuffles its seeds, so that luck would decide. Here the first three seeds that a client tries, whichever they are, lead to 1, 2 and 3: the worst draw, one in ten, for both builds.",
		fmt.Sprintf("- timeouts: %s to dial, read and write, for both builds (Sarama's default is 30 s). A silent broker costs unpatched Sarama three of them: ApiVersions, ApiVersions again, Metadata.", seconds(timeout)),
		"",
	}
}

// verdict is the comparison at the end.
func verdict(tl *timeline, timeout time.Duration) []string {
	slow, fast := tl.sides[unpatched].end, tl.sides[patched].end
	for side, end := range []event.Event{slow, fast} {
		if end.Kind == event.Failed {
			return []string{"", fmt.Sprintf("The %s client failed after %s: %s", sideNames[side], seconds(end.At), end.Detail)}
		}
	}
	text := fmt.Sprintf("patched %s, unpatched %s: ", seconds(fast.At), seconds(slow.At))
	r := tl.ratio()
	switch {
	case r >= 10:
		text += fmt.Sprintf("%.0f times faster", r)
	case r > 1.05:
		text += fmt.Sprintf("%.1f times faster", r)
	default:
		text += "not faster"
	}
	out := []string{"", text}
	if timeout < 30*time.Second {
		out = append(out, fmt.Sprintf("(By calculation: with Sarama's default timeouts of 30 s unpatched would take %s; the fanout's delays do not depend on timeouts.)", seconds(worstCase(30*time.Second))))
	}
	return out
}

// ratio is how many times as long unpatched took; 0 unless both succeeded.
func (tl *timeline) ratio() float64 {
	slow, fast := tl.sides[unpatched].end, tl.sides[patched].end
	if slow.Kind != event.Done || fast.Kind != event.Done || fast.At <= 0 {
		return 0
	}
	return float64(slow.At) / float64(fast.At)
}

// sentence says an event in full, for a plain line.
func sentence(e event.Event) string {
	broker := fmt.Sprintf("broker %d: ", e.Broker)
	switch e.Kind {
	case event.Start:
		return "refresh starts"
	case event.Dial:
		return broker + "asked, connecting"
	case event.Connected:
		return broker + "connected"
	case event.DialFailed:
		return broker + "not reachable: " + e.Detail
	case event.Sent:
		return broker + e.Detail + " sent"
	case event.Answer:
		return broker + e.Detail + " answered"
	case event.GaveUp:
		return broker + e.Detail + " timed out"
	case event.Closed:
		return broker + "given up, connection closed"
	case event.Done:
		return "refresh DONE, " + e.Detail
	case event.Failed:
		return "refresh FAILED: " + e.Detail
	default:
		return broker + string(e.Kind)
	}
}

// note says an event in few words, for the narrow column under a timeline.
func note(e event.Event) string {
	switch e.Kind {
	case event.Dial:
		return fmt.Sprintf("ask broker %d", e.Broker)
	case event.DialFailed:
		return fmt.Sprintf("%d not reachable", e.Broker)
	case event.GaveUp:
		return fmt.Sprintf("%d silent (%s)", e.Broker, e.Detail)
	case event.Closed:
		return fmt.Sprintf("%d given up", e.Broker)
	case event.Answer:
		return fmt.Sprintf("%d answers", e.Broker)
	case event.Done:
		return "refresh done"
	case event.Failed:
		return "refresh failed"
	default:
		return sentence(e)
	}
}

// seconds is a duration as the demo writes it: 0.43 s, 27.0 s, 270 s.
func seconds(d time.Duration) string {
	s := d.Seconds()
	switch {
	case s < 10 && d%time.Second != 0:
		return fmt.Sprintf("%.2f s", s)
	case d%time.Second != 0:
		return fmt.Sprintf("%.1f s", s)
	default:
		return fmt.Sprintf("%.0f s", s)
	}
}

// wrap breaks a paragraph into lines; those after a list dash are indented. A word longer than the width stays whole.
func wrap(text string, width int) []string {
	indent := ""
	if strings.HasPrefix(text, "- ") {
		indent = "  "
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
