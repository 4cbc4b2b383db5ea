package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// The two sides of the demo.
const (
	unpatched = 0
	patched   = 1
)

var sideNames = [2]string{unpatched: "unpatched", patched: "patched"}

// client is one running build of the program.
type client struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	start  func() error
	events chan event.Event // closed at the end of its output
	stderr bytes.Buffer     // read only after the process was waited for
	ready  event.Event
}

type clients [2]*client

// buildAndStart returns both clients, up and waiting for the word to start.
func buildAndStart(ctx context.Context, temp string, timeout time.Duration, brokers []string, screen screen) (clients, error) {
	var both clients
	src, err := findSource(ctx, "")
	if err != nil {
		return both, err
	}
	builds := [2]func(context.Context, string) (string, error){unpatched: src.buildUnpatched, patched: src.buildPatched}
	for side, build := range builds {
		screen.text(fmt.Sprintf("Building the client against %s %s %s ...", sideNames[side], saramaModule, src.version))
		bin, err := build(ctx, temp)
		if err == nil {
			both[side], err = startClient(ctx, bin, timeout, brokers)
		}
		if err != nil {
			both.end()
			return both, err
		}
	}
	// What was built is asked, not assumed: the patched tree may be there without the patches, or the other way round.
	switch {
	case both[unpatched].ready.Fanout != "":
		err = errors.New("the unpatched build has Metadata.Fanout: the patches are part of this release already\nnext: look at the replace lines in test/kfake/go.mod")
	case both[patched].ready.Fanout == "":
		err = errors.New("upstream/sarama has no Metadata.Fanout: its patches are not applied\nnext: make, then make demo")
	}
	if err != nil {
		both.end()
	}
	return both, err
}

func startClient(ctx context.Context, bin string, timeout time.Duration, brokers []string) (*client, error) {
	c := &client{events: make(chan event.Event, 256)}
	c.cmd = exec.CommandContext(ctx, bin, append([]string{"-timeout", timeout.String()}, brokers...)...)
	c.cmd.Stderr = &c.stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	c.start = func() error {
		_, err := io.WriteString(stdin, "start\n")
		return err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the client just built does not start: %w\nnext: set TMPDIR to a folder that programs may run from, then make demo", err)
	}
	go func() {
		defer close(c.events)
		for lines := json.NewDecoder(stdout); ; {
			var e event.Event
			if lines.Decode(&e) != nil {
				return // its end; how it ended is known by waiting for it
			}
			c.events <- e
		}
	}()
	e, ok := <-c.events
	if !ok || e.Kind != event.Ready {
		return nil, c.died()
	}
	c.ready = e
	return c, nil
}

// died waits for a client that ended early and says why.
func (c *client) died() error {
	c.end()
	text := fmt.Sprintf("the client ended early (%s)", c.cmd.ProcessState)
	if said := strings.TrimSpace(c.stderr.String()); said != "" {
		text += ":\n" + said
	}
	return errors.New(text)
}

// end ends the process by its handle, if it still runs, and waits until it is gone.
func (c *client) end() {
	if c == nil || c.cmd.ProcessState != nil {
		return
	}
	_ = c.stdin.Close()
	_ = c.cmd.Process.Kill()
	for range c.events { // the pipe must be read to its end before Wait closes it
	}
	_ = c.cmd.Wait()
}

func (c *client) subtitle() string {
	if c.ready.Fanout == "" {
		return "one broker after another"
	}
	return "jittered fanout"
}

func (both clients) end() {
	for _, c := range both {
		c.end()
	}
}

// play gives both the word and follows them until both have finished.
func (both clients) play(ctx context.Context, tl *timeline, screen screen) error {
	began := time.Now()
	for _, c := range both {
		if c.start() != nil {
			return c.died()
		}
	}
	redraw := time.NewTicker(100 * time.Millisecond)
	defer redraw.Stop()
	sources := [2]<-chan event.Event{both[0].events, both[1].events}
	for sources[0] != nil || sources[1] != nil {
		var side int
		var e event.Event
		var ok bool
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-redraw.C:
			if !tl.finished() { // the last drawing comes when the programs have ended
				screen.draw(tl, time.Since(began))
			}
			continue
		case e, ok = <-sources[0]:
			side = 0
		case e, ok = <-sources[1]:
			side = 1
		}
		if ok {
			tl.add(side, e)
			screen.event(side, e)
			continue
		}
		sources[side] = nil
		if !tl.sides[side].finished() {
			if ctx.Err() != nil {
				return ctx.Err() // it was ended because of that
			}
			return fmt.Errorf("%s: %w", sideNames[side], both[side].died())
		}
	}
	screen.draw(tl, time.Since(began))
	return nil
}
