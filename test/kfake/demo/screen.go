package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"sarama-fanout/test/kfake/demo/event"
)

// screen is where the demo is shown: a live drawing on a terminal, plain lines elsewhere.
type screen interface {
	text(paragraphs ...string)            // words, below what is there
	event(side int, e event.Event)        // something happened
	draw(tl *timeline, now time.Duration) // time has passed
	close()
}

func openScreen(w io.Writer, plain bool) screen {
	file, ok := w.(*os.File)
	if plain || !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return &plainScreen{w: w}
	}
	size := func() (int, int) {
		width, height, err := term.GetSize(int(file.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	if width, height := size(); width < minWidth || height < minHeight {
		return &plainScreen{w: w}
	}
	// no-color.org: set to anything but nothing.
	return &liveScreen{w: w, size: size, color: os.Getenv("NO_COLOR") == ""}
}

// plainScreen writes a line for each event, for pipes and CI.
type plainScreen struct{ w io.Writer }

func (p *plainScreen) text(paragraphs ...string) {
	for _, paragraph := range paragraphs {
		for _, line := range wrap(paragraph, 80) {
			fmt.Fprintln(p.w, line)
		}
	}
}

func (p *plainScreen) event(side int, e event.Event) {
	if e.Kind == event.Ready || e.Kind == event.Connected { // the line after says as much
		return
	}
	fmt.Fprintf(p.w, "%6.2f s  %-9s  %s\n", e.At.Seconds(), sideNames[side], sentence(e))
}

// draw shows the picture once, when there is nothing left to come.
func (p *plainScreen) draw(tl *timeline, now time.Duration) {
	if !tl.finished() {
		return
	}
	fmt.Fprintln(p.w)
	for _, line := range frame(tl, now, 80, tableLines+legendLines+1, false) {
		fmt.Fprintln(p.w, line)
	}
}

func (p *plainScreen) close() {}

// liveScreen draws the timeline over the one before.
type liveScreen struct {
	w             io.Writer
	size          func() (width, height int)
	color         bool
	drawn         int // lines of the drawing on the screen
	width, height int // as of then
}

func (l *liveScreen) text(paragraphs ...string) {
	l.drawn = 0 // the drawing stays where it is
	width, _ := l.size()
	for _, paragraph := range paragraphs {
		for _, line := range wrap(paragraph, min(width-1, 100)) {
			fmt.Fprintln(l.w, line)
		}
	}
}

func (l *liveScreen) event(int, event.Event) {} // the next drawing, at most a tenth of a second later, shows it

func (l *liveScreen) draw(tl *timeline, now time.Duration) {
	width, height := l.size()
	out := ""
	switch {
	case l.drawn == 0:
		out = "\x1b[?25l" // hide the cursor
	case width != l.width || height != l.height:
		out = "\x1b[2J\x1b[H" // the terminal has wrapped the old drawing anew: nobody knows where its lines are
	default:
		out = fmt.Sprintf("\x1b[%dA", l.drawn)
	}
	lines := frame(tl, now, width-1, height-1, l.color)
	for _, line := range lines {
		out += line + "\x1b[K\n"
	}
	out += "\x1b[J"
	_, _ = io.WriteString(l.w, out) // at once, so that no half drawing is seen
	l.drawn, l.width, l.height = len(lines), width, height
}

func (l *liveScreen) close() { _, _ = io.WriteString(l.w, "\x1b[?25h") }
