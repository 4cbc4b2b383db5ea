package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// listen takes connections and answers each piece of what it reads with a piece of its own, or never.
func listen(t *testing.T, answers bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			go func() {
				b := make([]byte, 64)
				for {
					if _, err := conn.Read(b); err != nil {
						return
					}
					if answers {
						_, _ = conn.Write([]byte("answer"))
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

func TestWatcherDealsBrokersInTheOrderAsked(t *testing.T) {
	w := newWatcher(time.Second, []string{"10.0.0.1:1", "10.0.0.2:1"}, newReporter(io.Discard))
	for _, step := range []struct {
		addr string
		want int
	}{{"seed-b:9092", 1}, {"seed-b:9092", 1}, {"10.0.0.2:1", 2}, {"seed-a:9092", 2}, {"seed-b:9092", 1}, {"elsewhere:1", 0}} {
		if got := w.brokerAt(step.addr); got != step.want {
			t.Errorf("%s leads to broker %d, want %d", step.addr, got, step.want)
		}
	}
}

func TestWatcherReports(t *testing.T) {
	var out bytes.Buffer
	reports := newReporter(&out)
	w := newWatcher(time.Second, []string{listen(t, false), listen(t, true)}, reports)
	metadata := []byte{0, 0, 0, 2, 0, 3}
	for _, seed := range seedNames(2) {
		conn, err := w.Dial("tcp", seed)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(metadata); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 3)
		_, _ = conn.Read(b)
		_, _ = conn.Read(b) // the rest of an answer is not another
		conn.Close()
		conn.Close()
	}
	reports.stop()
	reports.report(event.Event{Kind: event.Failed})

	var got []string
	for lines := json.NewDecoder(&out); ; {
		var e event.Event
		if lines.Decode(&e) != nil {
			break
		}
		got = append(got, strings.TrimSpace(string(e.Kind)+" "+string(rune('0'+e.Broker))+" "+e.Detail))
	}
	want := "dial 1, connected 1, sent 1 Metadata, gave up 1 Metadata, gave up 1, closed 1, " +
		"dial 2, connected 2, sent 2 Metadata, answer 2 Metadata, closed 2"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}
