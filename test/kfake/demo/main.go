// Command demo shows what the fanout does: one program, built against unpatched and against patched Sarama, refreshes its
// metadata from a cluster of five brokers of which three hang. Both builds run at the same time, and a timeline shows who
// asks which broker when.
//
//	go -C test/kfake run ./demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	// A closed terminal (SIGHUP) and a reader that has gone away (SIGPIPE) must leave as little behind as ctrl-C.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main without the process around it, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	timeout := flags.Duration("timeout", 2*time.Second, "dial, read and write timeout of both clients (Sarama's default: 30s)")
	plain := flags.Bool("plain", false, "print plain lines on a terminal too")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if *timeout < 10*time.Millisecond || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "demo: takes no arguments, and a -timeout of 10ms or more\nnext: make demo")
		return 2
	}

	screen := openScreen(stdout, *plain)
	_, err := demo(ctx, *timeout, screen)
	screen.close()
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "demo: stopped; both clients have ended")
		return 130
	default:
		fmt.Fprintln(stderr, "demo:", err)
		return 1
	}
}

// demo builds, runs and shows; it returns the timeline of both clients when they have finished.
func demo(ctx context.Context, timeout time.Duration, screen screen) (*timeline, error) {
	cluster, err := startCluster()
	if err != nil {
		return nil, err
	}
	defer cluster.close()

	temp, err := os.MkdirTemp("", "sarama-fanout-demo-")
	if err != nil {
		return nil, fmt.Errorf("no place for the two programs: %w\nnext: set TMPDIR to a folder you can write to, then make demo", err)
	}
	defer os.RemoveAll(temp)

	// The whole run has a bound of its own, far beyond what it takes: a demo must not hang for the reason it demonstrates.
	expected := worstCase(timeout)
	clients, err := buildAndStart(ctx, temp, timeout, cluster.addrs, screen)
	if err != nil {
		return nil, err
	}
	defer clients.end()
	// Both run by now and need their files no more. So nothing is left even if this program is killed from here on. (Where
	// a running program's file cannot be removed, the one above does it.)
	_ = os.RemoveAll(temp)

	bounded, cancel := context.WithTimeout(ctx, expected+expected/2+5*time.Second)
	defer cancel()
	tl := newTimeline(expected)
	for i, c := range clients {
		tl.sides[i].subtitle = c.subtitle()
	}
	screen.text(intro(clients[unpatched].ready, clients[patched].ready, timeout)...)
	if err := clients.play(bounded, tl, screen); err != nil {
		if ctx.Err() == nil && bounded.Err() != nil {
			return nil, fmt.Errorf("the clients took longer than %s and were ended\nnext: run it once more: make demo; if it happens again, file it with the output above", seconds(expected+expected/2+5*time.Second))
		}
		return nil, err
	}
	screen.text(verdict(tl, timeout)...)
	return tl, nil
}

// worstCase is how long unpatched Sarama takes. To a broker that takes the connection and stays silent it sends ApiVersions,
// ApiVersions again, then the metadata request, and waits for each as long as the read timeout.
func worstCase(timeout time.Duration) time.Duration { return hungCount * triesPerBroker * timeout }

const triesPerBroker = 3
