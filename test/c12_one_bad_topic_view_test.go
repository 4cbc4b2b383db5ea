package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#2488 and KAFKA-15161: one broker answers each request with a topic error that the others do not have. Upstream may
// ask that same broker in all its rounds; some errors it does not retry at all.
func TestC12OneBrokerWithATopicError(t *testing.T) {
	t.Parallel()
	codes := map[string]int16{
		"unknown topic": faults.UnknownTopic, "leader not available": faults.LeaderNotAvailable,
		"invalid replication factor": faults.InvalidReplicationFactor,
	}
	for name, code := range codes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 20 {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					net := faults.New(t)
					cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
					cfg := newConfig(net)
					cfg.Metadata.Full = false
					cfg.Metadata.Retry.Backoff = 20 * time.Millisecond
					cluster.Broker(1).Play(faults.Script{Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
						return m.WithErr(code)
					}})
					client := newClient(t, net, cfg, cluster.Addrs()...)
					if i%2 == 0 { // the bad one is the favourite: registered, connected and idle
						_ = client.RefreshMetadata("t")
						connect(t, client, 1)
						cluster.SetTopic("t", 2, 3)
					}
					_, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
					if err != nil {
						t.Fatal(err)
					}
					if got := leaderOf(t, client, "t", 0); got != 2 {
						t.Fatalf("leader is %d, want 2", got)
					}
				})
			}
		})
	}
	// when all of them say so, it is true: the error reaches the caller, and the second opinion stays at one
	t.Run("all agree", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 5).SetTopic("t", 1)
		client := newClient(t, net, newConfig(net), cluster.Addrs()...)
		for _, id := range ids(1, 5) {
			cluster.Broker(id).Play(faults.Script{Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
				return m.WithErr(faults.InvalidReplicationFactor)
			}})
		}
		before := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata)
		_, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
		mustBe(t, err, sarama.ErrInvalidReplicationFactor)
		if got := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata) - before; got > 2 {
			t.Errorf("%d requests for an error that is true, want at most 2", got)
		}
	})
}
