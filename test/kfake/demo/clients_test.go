package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

func startPatched(t *testing.T) *client {
	t.Helper()
	src, err := findSource(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	bin, err := src.buildPatched(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A client that does not end by itself must not hold up the tests.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	// Nobody listens at port 1; the client is not told to start, or may fail.
	c, err := startClient(ctx, bin, time.Second, []string{"127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.end)
	return c
}

// A client ends when its launcher is gone, which it knows by its standard input.
func TestClientEndsWithItsLauncher(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the client")
	}
	c := startPatched(t)
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	for range c.events {
	}
	if err := c.cmd.Wait(); err == nil || c.cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("ended with %v, want exit code 3", c.cmd.ProcessState)
	}
}

// A refresh that fails is an event, not the launcher's error.
func TestClientReportsFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the client")
	}
	c := startPatched(t)
	if err := c.start(); err != nil {
		t.Fatal(err)
	}
	var last event.Event
	for e := range c.events {
		last = e
	}
	if last.Kind != event.Failed || !strings.Contains(last.Detail, "client has run out of available brokers") {
		t.Errorf("the last event is %+v", last)
	}
}
