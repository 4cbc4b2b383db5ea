package test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

const (
	delay  = 500 * time.Millisecond // default of Fanout.Delay
	jitter = 0.2                    // default of Fanout.Jitter
	slack  = 700 * time.Millisecond // for a machine that has other things to do; a wrong wait is 30 s
	long   = 10 * time.Second       // after this a call counts as hung
)

// newConfig is NewConfig with the dialer of net and without background refreshes, which would blur the counts.
func newConfig(net *faults.Net) *sarama.Config {
	cfg := sarama.NewConfig()
	cfg.Net.Proxy.Enable = true
	cfg.Net.Proxy.Dialer = net
	cfg.Metadata.RefreshFrequency = 0
	return cfg
}

// newClient makes a client that must come up, and closes it at the end of the test.
func newClient(t testing.TB, net *faults.Net, cfg *sarama.Config, addrs ...string) sarama.Client {
	t.Helper()
	var client sarama.Client
	_, err := within(t, long, "NewClient", func() (err error) {
		client, err = sarama.NewClient(addrs, cfg)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, net, client)
	return client
}

// closeAtEnd closes the client before its connections go. A Close that hangs (upstream's may) must not hang the test.
func closeAtEnd(t testing.TB, net *faults.Net, client sarama.Client) {
	t.Cleanup(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if !client.Closed() {
				_ = client.Close()
			}
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			net.Release()
			select {
			case <-done:
			case <-time.After(2 * time.Second): // a throttle, for one, ends with no connection
			}
		}
	})
}

// within calls f and fails the test when it has not returned in time. It returns how long f took, and its error.
func within(t testing.TB, limit time.Duration, what string, f func() error) (time.Duration, error) {
	t.Helper()
	start := time.Now()
	done := make(chan error, 1)
	go func() { done <- f() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return time.Since(start), err
	case <-timer.C:
		t.Fatalf("%s has not returned after %v", what, limit)
		return 0, nil
	}
}

// connect opens the registered brokers with these ids and waits until they are connected.
func connect(t testing.TB, client sarama.Client, ids ...int32) {
	t.Helper()
	for _, id := range ids {
		b, err := client.Broker(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := within(t, long, "connecting", func() error {
			_, err := b.Connected()
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// ids returns from, from+1, ... to.
func ids(from, to int) []int32 {
	var out []int32
	for id := from; id <= to; id++ {
		out = append(out, int32(id))
	}
	return out
}

// delays is the longest that k delays of the default Fanout may take together.
func delays(k int) time.Duration {
	return time.Duration(float64(k) * float64(delay) * (1 + jitter))
}

// mustName fails unless the error's text holds each of the words.
func mustName(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	var missing []string
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			missing = append(missing, w)
		}
	}
	if missing != nil {
		t.Errorf("the error does not name %v: %v", missing, err)
	}
}

func mustBe(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got %v, want %v", err, target)
	}
}

// setFanout sets the four fields, or skips the test on a build that does not have them.
func setFanout(t testing.TB, cfg *sarama.Config, f faults.Fanout) {
	t.Helper()
	if !f.Apply(cfg) {
		t.Skip("this build has no Config.Metadata.Fanout")
	}
}

// leaderOf returns the id of the cached leader, or -1.
func leaderOf(t testing.TB, client sarama.Client, topic string, partition int32) int32 {
	t.Helper()
	var id int32 = -1
	_, err := within(t, long, "Leader", func() error {
		b, err := client.Leader(topic, partition)
		if b != nil {
			id = b.ID()
		}
		return err
	})
	if err != nil {
		t.Logf("Leader(%s/%d): %v", topic, partition, err)
	}
	return id
}
