package main

import (
	"fmt"
	"strings"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

const (
	minWidth    = 32 // below, and for a terminal that is not even this high, plain lines are shown
	minHeight   = 2*stackedLines + 3
	sideBySide  = 72 // below, one timeline stands above the other
	labelWidth  = len("1 hangs |")
	gutter      = " | "
	mostLog     = 18 // on a tall terminal; elsewhere the words above the drawing should stay in sight
	usualLog    = 8
	tall        = 40
	tableLines  = 1 + 1 + brokerCount + 1 // title, scale, a row for each broker, status
	legendLines = 2

	// Stacked, each side has a blank line after it and no log.
	stackedLines = tableLines + 1
)

const legend = "= waiting, ! no answer, x given up, * answered with metadata"

// frame draws both timelines. No line is longer than width; there are no more than height.
func frame(tl *timeline, now time.Duration, width, height int, color bool) []string {
	pen := pen{color: color}
	scale := scaleOf(tl, now)
	var out []string
	if width < sideBySide {
		for side := range tl.sides {
			for _, line := range table(tl, side, now, scale, width, pen) {
				out = append(out, strings.TrimRight(line, " "))
			}
			out = append(out, "")
		}
		return append(out, wrap(legend, width)...)
	}

	column := (width - len(gutter)) / 2
	left := table(tl, unpatched, now, scale, column, pen)
	right := table(tl, patched, now, scale, column, pen)
	rows := usualLog
	if height >= tall {
		// As many as it takes, so that the slower side's whole story stays in sight.
		rows = max(rows, min(mostLog, max(len(tl.sides[unpatched].log), len(tl.sides[patched].log))))
	}
	rows = min(rows, height-tableLines-legendLines-1)
	if rows > 0 {
		left = append(left, logOf(&tl.sides[unpatched], rows, column)...)
		right = append(right, logOf(&tl.sides[patched], rows, column)...)
	}
	for i := range left {
		out = append(out, strings.TrimRight(left[i]+gutter+right[i], " "))
	}
	return append(append(out, ""), wrap(legend, width)...)
}

// scaleOf is the time that a whole bar stands for: the same for both sides, or the difference would not be seen.
func scaleOf(tl *timeline, now time.Duration) time.Duration {
	last := tl.expected
	for side := range tl.sides {
		if end := tl.sides[side].at(now); end > last {
			last = end
		}
	}
	return last
}

// at is where a side's time stands still, or else now.
func (s *sideline) at(now time.Duration) time.Duration {
	if s.finished() {
		return s.end.At
	}
	return now
}

// table is one side: title, scale, a row for each broker, status; each line padded to the width.
func table(tl *timeline, side int, now, scale time.Duration, width int, pen pen) []string {
	s := &tl.sides[side]
	bar := width - labelWidth
	name := strings.ToUpper(sideNames[side])
	paint := pen.bad
	if side == patched {
		paint = pen.good
	}
	out := []string{paint(name) + pad("  "+s.subtitle, width-len(name))}

	end := seconds(scale.Round(time.Second))
	if scale < 10*time.Second {
		end = seconds(scale.Round(100 * time.Millisecond))
	}
	out = append(out, pad("broker   0 s", width-len(end))+end)

	for broker := 1; broker <= brokerCount; broker++ {
		state := "hangs"
		if broker > hungCount {
			state = "fine "
		}
		label := fmt.Sprintf("%d %s |", broker, state)
		out = append(out, label+pen.bar(barOf(s.spans[broker], s.at(now), scale, bar)))
	}
	return append(out, statusOf(s, now, width, pen))
}

func statusOf(s *sideline, now time.Duration, width int, pen pen) string {
	switch {
	case s.end.Kind == event.Done:
		text := "DONE in " + seconds(s.end.At.Round(10*time.Millisecond))
		return pen.good(text) + pad("", width-len(text))
	case s.finished():
		text := pad("FAILED: "+s.end.Detail, width)
		return pen.bad(text)
	}
	text := fmt.Sprintf("%4.1f s", now.Seconds())
	if asked := s.asked(); len(asked) > 0 {
		text += ", waiting for broker " + strings.Trim(strings.ReplaceAll(fmt.Sprint(asked), " ", ", "), "[]")
	}
	return pad(text, width)
}

// barOf draws a broker's spans over the whole scale, a character for each part of the time.
func barOf(spans []span, now, scale time.Duration, width int) string {
	bar := []byte(strings.Repeat(" ", width))
	column := func(t time.Duration) int {
		return max(0, min(width-1, int(int64(t)*int64(width)/int64(scale))))
	}
	for _, sp := range spans {
		to := sp.to
		if sp.how == waiting {
			to = now
		}
		for i := column(sp.from); i <= column(to); i++ {
			bar[i] = '='
		}
		for _, t := range sp.silent {
			bar[column(t)] = '!'
		}
		switch sp.how {
		case gaveUp:
			bar[column(sp.to)] = 'x'
		case answered:
			bar[column(sp.to)] = '*'
		}
	}
	return string(bar)
}

// logOf is the last events of a side, a line each, with their times.
func logOf(s *sideline, rows, width int) []string {
	events := s.log[max(0, len(s.log)-rows):]
	out := make([]string, 0, rows)
	for _, e := range events {
		out = append(out, pad(fmt.Sprintf("%6.2f s  %s", e.At.Seconds(), note(e)), width))
	}
	for len(out) < rows {
		out = append(out, pad("", width))
	}
	return out
}

// pad makes a text exactly as wide as it says.
func pad(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(text) > width {
		return text[:width]
	}
	return text + strings.Repeat(" ", width-len(text))
}

// pen colors, if it may. What it gets has its final width already, because colors count for none.
type pen struct{ color bool }

func (p pen) good(text string) string { return p.sgr("1;32", text) }
func (p pen) bad(text string) string  { return p.sgr("1;31", text) }

func (p pen) sgr(code, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// bar colors each run of equal characters.
func (p pen) bar(text string) string {
	out := ""
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && text[j] == text[i] {
			j++
		}
		run := text[i:j]
		switch text[i] {
		case '=':
			run = p.sgr("33", run)
		case '!', 'x':
			run = p.sgr("1;31", run)
		case '*':
			run = p.sgr("1;32", run)
		}
		out += run
		i = j
	}
	return out
}
