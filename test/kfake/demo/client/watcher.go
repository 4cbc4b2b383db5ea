package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// seedNames are the addresses that Sarama gets. They are names without a meaning: see watcher.
func seedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("seed-%c:9092", 'a'+i)
	}
	return names
}

// watcher is a dialer that reports what goes on, and deals the brokers out: the first seed that Sarama tries, whichever
// it is, leads to broker 1, the second to broker 2, and so on. Sarama shuffles its seeds, so without this each run would
// be another draw, mostly unlike the other build's.
type watcher struct {
	dialer  net.Dialer
	brokers []string // addresses; broker 1 is the first
	out     *reporter

	mu    sync.Mutex
	dealt map[string]int // which broker a seed leads to
}

func newWatcher(timeout time.Duration, brokers []string, out *reporter) *watcher {
	// Sarama's own dialer has the same two settings; it is not used once a proxy dialer is set.
	return &watcher{
		dialer:  net.Dialer{Timeout: timeout, KeepAlive: 0},
		brokers: brokers,
		out:     out,
		dealt:   make(map[string]int),
	}
}

// brokerAt says which broker an address leads to, counted from 1; 0: none.
func (w *watcher) brokerAt(addr string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, known := range w.brokers {
		if addr == known {
			return i + 1 // the address that the cluster's own metadata names
		}
	}
	if n, ok := w.dealt[addr]; ok {
		return n
	}
	if len(w.dealt) == len(w.brokers) {
		return 0
	}
	n := len(w.dealt) + 1
	w.dealt[addr] = n
	return n
}

// Dial is what Sarama calls to connect.
func (w *watcher) Dial(network, addr string) (net.Conn, error) {
	n := w.brokerAt(addr)
	if n == 0 {
		return nil, fmt.Errorf("%s leads to no broker", addr)
	}
	w.out.report(event.Event{Kind: event.Dial, Broker: n})
	conn, err := w.dialer.Dial(network, w.brokers[n-1])
	if err != nil {
		w.out.report(event.Event{Kind: event.DialFailed, Broker: n, Detail: err.Error()})
		return nil, err
	}
	w.out.report(event.Event{Kind: event.Connected, Broker: n})
	return &watchedConn{Conn: conn, broker: n, out: w.out}, nil
}

// watchedConn reports requests, answers and silence. The names of requests are read from the Kafka header: four bytes of
// length, then two that say which request. Sarama writes each request whole.
type watchedConn struct {
	net.Conn
	broker int
	out    *reporter

	mu      sync.Mutex
	waiting []string // requests written and not answered, oldest first
	closed  bool
}

func (c *watchedConn) Write(b []byte) (int, error) {
	name := requestName(b)
	c.mu.Lock()
	c.waiting = append(c.waiting, name)
	c.mu.Unlock()
	// Before the write: once it is out, the answer may be reported first.
	c.out.report(event.Event{Kind: event.Sent, Broker: c.broker, Detail: name})
	return c.Conn.Write(b)
}

func (c *watchedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	switch {
	case n > 0:
		// An answer may come in several pieces: only the first finds a request that waits.
		if name, ok := c.answered(); ok {
			c.out.report(event.Event{Kind: event.Answer, Broker: c.broker, Detail: name})
		}
	case errors.Is(err, os.ErrDeadlineExceeded):
		name, _ := c.answered()
		c.out.report(event.Event{Kind: event.GaveUp, Broker: c.broker, Detail: name})
	}
	return n, err
}

func (c *watchedConn) answered() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		return "", false
	}
	name := c.waiting[0]
	c.waiting = c.waiting[1:]
	return name, true
}

func (c *watchedConn) Close() error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	if first {
		c.out.report(event.Event{Kind: event.Closed, Broker: c.broker})
	}
	return c.Conn.Close()
}

func requestName(b []byte) string {
	if len(b) < 6 {
		return "a request"
	}
	switch key := binary.BigEndian.Uint16(b[4:6]); key {
	case 3:
		return "Metadata"
	case 18:
		return "ApiVersions"
	default:
		return fmt.Sprintf("request %d", key)
	}
}
