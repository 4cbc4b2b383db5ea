package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestLiveScreenRedrawsInPlace(t *testing.T) {
	var out bytes.Buffer
	width, height := 80, 24
	l := &liveScreen{w: &out, size: func() (int, int) { return width, height }, color: false}
	step := func(now time.Duration) string {
		out.Reset()
		l.draw(scripted(now), now)
		return out.String()
	}

	first := step(time.Second)
	if regexp.MustCompile(`\x1b\[\d+A`).MatchString(first) {
		t.Errorf("the first drawing moves up, over what was there: %q", first)
	}
	up := fmt.Sprintf("\x1b[%dA", strings.Count(first, "\n"))
	if again := step(2 * time.Second); !strings.HasPrefix(again, up) {
		t.Errorf("the second drawing begins with %.10q, want %q", again, up)
	}
	if sgr.MatchString(out.String()) {
		t.Errorf("colors in spite of NO_COLOR: %q", out.String())
	}

	width = 60
	if resized := step(3 * time.Second); !strings.HasPrefix(resized, "\x1b[2J\x1b[H") {
		t.Errorf("a resized terminal is not cleared: %.10q", resized)
	}

	l.text("words")
	if next := step(4 * time.Second); regexp.MustCompile(`\x1b\[\d+A`).MatchString(next) {
		t.Errorf("a drawing after words moves up over them: %q", next)
	}
	out.Reset()
	if l.close(); out.String() != "\x1b[?25h" {
		t.Errorf("the cursor stays hidden: %q", out.String())
	}
}

func TestPlainWhereThereIsNoTerminal(t *testing.T) {
	if s, ok := openScreen(new(bytes.Buffer), false).(*plainScreen); !ok {
		t.Errorf("%T for a buffer", s)
	}
	var out bytes.Buffer
	p := &plainScreen{w: &out}
	p.draw(scripted(time.Second), time.Second)
	if out.Len() > 0 {
		t.Errorf("drawn before the end: %s", out.String())
	}
	p.draw(scripted(time.Minute), 9*time.Second)
	for _, line := range strings.Split(out.String(), "\n") {
		if len(line) > 80 {
			t.Errorf("%d characters: %s", len(line), line)
		}
	}
	if !strings.Contains(out.String(), "DONE in 9 s") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("not the plain picture of the end:\n%s", out.String())
	}
}
