package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama PR#1359 and tiflow PR#3665: Metadata.Timeout bounds the call, whatever hangs. Upstream looks at the clock only
// between two brokers, so one that hangs costs its 30 s first.
func TestC02TimeoutBoundsTheCall(t *testing.T) {
	for _, mode := range faults.Hung() {
		for _, versions := range []bool{true, false} {
			for _, single := range []bool{true, false} {
				t.Run(fmt.Sprintf("%v/ApiVersions=%v/SingleFlight=%v", mode, versions, single), func(t *testing.T) {
					t.Parallel()
					timeoutBounds(t, mode, versions, single)
				})
			}
		}
	}
}

func timeoutBounds(t *testing.T, mode faults.Mode, versions, single bool) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1, 2, 3)
	cfg := newConfig(net)
	cfg.ApiVersionsRequest = versions
	cfg.Metadata.SingleFlight = single
	cfg.Metadata.Timeout = 300 * time.Millisecond
	client := newClient(t, net, cfg, cluster.Addrs()...)
	connect(t, client, 1) // one is caught in the middle of a connection, the others while connecting
	net.Set(mode, cluster.Addrs()...)
	bestOf(t, 450*time.Millisecond, "RefreshMetadata", func() {
		_, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
		mustBe(t, err, sarama.ErrOutOfBrokers)
		mustName(t, err, cluster.Addrs()...)
	})
	bestOf(t, 450*time.Millisecond, "NewClient", func() {
		_, err := within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		mustBe(t, err, sarama.ErrOutOfBrokers)
		mustName(t, err, cluster.Addrs()...)
	})
}

// bestOf runs f up to four times until it stays within the limit: a busy machine may delay a single run by any time,
// code that waits for the wrong thing is late each time.
func bestOf(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	var took [4]time.Duration
	for i := range took {
		start := time.Now()
		f()
		if took[i] = time.Since(start); took[i] <= limit {
			return
		}
	}
	t.Errorf("%s took %v, want one of them within %v", what, took, limit)
}

// The same bound with the hang in each phase of an attempt, and in the back-off between rounds.
func TestC02TimeoutInEveryPhase(t *testing.T) {
	for name, phase := range phases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := phase(t)
			p.cfg.Metadata.Timeout = 300 * time.Millisecond
			bestOf(t, 450*time.Millisecond, "NewClient", func() {
				_, err := within(t, long, "NewClient", func() error {
					_, err := sarama.NewClient(p.addrs, p.cfg)
					return err
				})
				mustBe(t, err, sarama.ErrOutOfBrokers)
				mustName(t, err, p.addrs...)
			})
		})
	}
	t.Run("back-off", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 2)
		net.Set(faults.Refused, cluster.Addrs()...)
		cfg := newConfig(net)
		cfg.Metadata.Timeout = 300 * time.Millisecond
		cfg.Metadata.Retry.Max = 100
		cfg.Metadata.Retry.Backoff = 100 * time.Millisecond
		bestOf(t, 450*time.Millisecond, "NewClient", func() {
			_, err := within(t, long, "NewClient", func() error {
				_, err := sarama.NewClient(cluster.Addrs(), cfg)
				return err
			})
			mustBe(t, err, sarama.ErrOutOfBrokers)
		})
	})
}
