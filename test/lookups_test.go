package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"
)

// lookups are the calls that need nothing but the cache, for a cluster with a topic "t" and a coordinator of "g" that the
// client knows already.
func lookups(client sarama.Client) map[string]func() error {
	return map[string]func() error{
		"Leader": func() error {
			_, err := client.Leader("t", 0)
			return err
		},
		"Leader of the broker that hangs": func() error {
			_, err := client.Leader("t", 1)
			return err
		},
		"Partitions": func() error {
			_, err := client.Partitions("t")
			return err
		},
		"Brokers": func() error {
			client.Brokers()
			return nil
		},
		"LeastLoadedBroker": func() error {
			client.LeastLoadedBroker()
			return nil
		},
		"Coordinator": func() error {
			_, err := client.Coordinator("g")
			return err
		},
	}
}

// mustAnswerAtOnce makes each look-up 50 times. Each must take at most 50 ms; a few late ones are forgiven because the
// machine may be busy, but none may take half a second: code that waits for a broker waits for seconds.
func mustAnswerAtOnce(t *testing.T, client sarama.Client) {
	t.Helper()
	late := 0
	for range 50 {
		for name, call := range lookups(client) {
			took, err := within(t, 3*time.Second, name, call)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if took > 500*time.Millisecond {
				t.Fatalf("%s took %v", name, took)
			}
			if took > 50*time.Millisecond {
				late++
			}
		}
	}
	if late > 3 {
		t.Errorf("%d of 300 look-ups took more than 50 ms", late)
	}
}

// repeat calls f again and again until the test ends, and then waits for the last call.
func repeat(t *testing.T, f func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				f()
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		select {
		case <-done:
		case <-time.After(3 * time.Second): // upstream hangs here; the release of the network ends it
		}
	})
}
