package test

import (
	"strings"
	"testing"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// empty is a broker in its start-up phase: it answers, and knows no broker at all.
func empty(faults.MetadataRequest, faults.Metadata) faults.Metadata { return faults.Metadata{} }

// sarama#2664 and KAFKA-7924: the fastest answer has no brokers in it. Upstream goes on to the next broker too, but when
// all answers are empty its error does not say so.
func TestC11EmptyAnswers(t *testing.T) {
	t.Parallel()
	t.Run("the next good one wins", func(t *testing.T) {
		t.Parallel()
		for range 10 {
			net := faults.New(t)
			cluster := faults.NewCluster(t, 3).SetTopic("t", 3)
			cluster.Broker(1).Play(faults.Script{Metadata: empty})
			cluster.Broker(2).Play(faults.Script{Metadata: empty})
			net.SetLatency(cluster.Broker(3).Addr, delay/10) // the good one is the slowest
			client := newClient(t, net, newConfig(net), cluster.Addrs()...)
			if got := len(client.Brokers()); got != 3 {
				t.Fatalf("%d brokers, want 3", got)
			}
			if got := leaderOf(t, client, "t", 0); got != 3 {
				t.Fatalf("leader is %d, want 3", got)
			}
		}
	})
	t.Run("all are empty", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 3)
		for _, id := range ids(1, 3) {
			cluster.Broker(id).Play(faults.Script{Metadata: empty})
		}
		cfg := newConfig(net)
		cfg.Metadata.Retry.Max = 0
		_, err := within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		mustBe(t, err, sarama.ErrOutOfBrokers)
		mustName(t, err, cluster.Addrs()...)
		// one for each, in whatever words
		if got := strings.Count(strings.ToLower(err.Error()), "no brokers") + strings.Count(err.Error(), "empty"); got < 3 {
			t.Errorf("%d causes say that the answer has no brokers, want 3: %v", got, err)
		}
	})
}
