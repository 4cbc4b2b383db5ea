package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// azure-event-hubs PR#107 and sarama PR#2633: behind one address (a load balancer, Event Hubs) there is nobody else to ask:
// one attempt per round, with the back-off between them, as upstream.
func TestC22OneAddressOnly(t *testing.T) {
	t.Parallel()
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 1)
		net.Set(faults.Refused, cluster.Addrs()...)
		cfg := newConfig(net)
		cfg.Metadata.Retry.Max = 3
		cfg.Metadata.Retry.Backoff = 100 * time.Millisecond
		took, err := within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		mustBe(t, err, sarama.ErrOutOfBrokers)
		if got := len(net.Dials()); got != 4 {
			t.Errorf("%d dials in 4 rounds", got)
		}
		if took < 300*time.Millisecond {
			t.Errorf("it took %v, less than 3 back-offs", took)
		}
	})
	t.Run("hung", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 1)
		net.Set(faults.Hole, cluster.Addrs()...)
		cfg := newConfig(net)
		cfg.Metadata.Timeout = 3 * delay
		_, err := within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		mustBe(t, err, sarama.ErrOutOfBrokers)
		if got := len(net.Dials()); got != 1 {
			t.Errorf("%d dials, want 1: there is nobody else to ask", got)
		}
	})
	// the seed is also the registered broker: it is the same place, so it is asked once
	t.Run("registered and seed", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 1).SetTopic("t", 1)
		cfg := newConfig(net)
		cfg.Metadata.Retry.Max = 0
		client := newClient(t, net, cfg, cluster.Addrs()...)
		net.Set(faults.Refused, cluster.Addrs()...)
		before := len(net.Dials())
		mustBe(t, client.RefreshMetadata("t"), sarama.ErrOutOfBrokers)
		if got := len(net.Dials()) - before; got > 1 {
			t.Errorf("%d dials in a round, want 1", got)
		}
	})
}
