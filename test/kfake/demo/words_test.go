package main

import (
	"strings"
	"testing"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

func TestVerdict(t *testing.T) {
	done := func(d time.Duration) event.Event { return event.Event{Kind: event.Done, At: d} }
	for _, tc := range []struct {
		slow, fast event.Event
		want       string
	}{
		{done(27 * time.Second), done(1500 * time.Millisecond), "patched 1.50 s, unpatched 27 s: 18 times faster"},
		{done(9 * time.Second), done(2 * time.Second), "patched 2 s, unpatched 9 s: 4.5 times faster"},
		{done(time.Second), done(time.Second), "patched 1 s, unpatched 1 s: not faster"},
		{done(time.Second), event.Event{Kind: event.Failed, At: 2 * time.Second, Detail: "no brokers"}, "The patched client failed after 2 s: no brokers"},
	} {
		tl := newTimeline(time.Second)
		tl.sides[unpatched].end, tl.sides[patched].end = tc.slow, tc.fast
		if got := strings.Join(verdict(tl, 30*time.Second), "\n"); got != "\n"+tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	tl := scripted(time.Minute)
	if got := strings.Join(verdict(tl, time.Second), "\n"); !strings.Contains(got, "By calculation") || !strings.Contains(got, "270 s") {
		t.Errorf("with shortened timeouts %q does not say what Sarama's own would make of it", got)
	}
}

func TestWrap(t *testing.T) {
	got := strings.Join(wrap("- one two three anunusuallylongword four", 10), "\n")
	if want := "- one two\n  three\n  anunusuallylongword\n  four"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := wrap("", 10); len(got) != 1 || got[0] != "" {
		t.Errorf("an empty paragraph is an empty line, not %q", got)
	}
}
