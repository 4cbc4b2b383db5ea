package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// reporter writes events, each as a line. Brokers are asked from many goroutines, so it has a lock.
type reporter struct {
	mu      sync.Mutex
	out     *json.Encoder
	began   time.Time
	stopped bool
}

func newReporter(w io.Writer) *reporter { return &reporter{out: json.NewEncoder(w)} }

// start begins the count of time.
func (r *reporter) start() {
	r.mu.Lock()
	r.began = time.Now()
	r.mu.Unlock()
	r.report(event.Event{Kind: event.Start})
}

// stop ends the reports: what comes later is the program going away.
func (r *reporter) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// report stamps the event under the lock, so that the lines are in the order of their times.
func (r *reporter) report(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	if !r.began.IsZero() {
		e.At = time.Since(r.began)
	}
	// A launcher that has gone away reads no more: its end of standard input ends this program.
	_ = r.out.Encode(e)
}
