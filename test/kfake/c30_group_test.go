package kfake

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"

	"sarama-fanout/test/faults"
)

// groupLimit bounds the case below. Unpatched v1.61.1 took 4.0 to 16.2 s in four runs, patched 2.9 to 3.1 s.
const groupLimit = 6 * time.Second

// sarama#2952, franz-go#652 and librdkafka#2266: one broker is a consumer group's coordinator and leads its partition. It
// turns silent, and others take both places. How a coordinator is looked up is still upstream's, one broker after another,
// so the bound here is the better part of upstream's time, with the network timeouts shortened to a second.
func TestC30CoordinatorTurnsSilent(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			cluster, net := newCluster(t)
			coordinator := cluster.CoordinatorFor("g")
			if err := cluster.MoveTopicPartition("t", 0, coordinator); err != nil {
				t.Fatal(err)
			}
			cfg := newConfig(net)
			cfg.Net.DialTimeout, cfg.Net.ReadTimeout, cfg.Net.WriteTimeout = time.Second, time.Second, time.Second
			cfg.Consumer.Group.Heartbeat.Interval = 200 * time.Millisecond
			cfg.Consumer.Offsets.Initial = sarama.OffsetOldest
			cfg.Consumer.MaxWaitTime = 100 * time.Millisecond
			values := consume(t, net, cluster.ListenAddrs(), cfg)
			// what is produced goes another way, where nothing is silent
			client, producer := newProducer(t, cluster, faults.New(t))
			produce(t, producer, "before", long)
			within(t, long, "the first message", func() error { return awaitValue(values, "before") })

			moveCoordinator(t, cluster)
			if err := cluster.MoveTopicPartition("t", 0, (coordinator+1)%3); err != nil {
				t.Fatal(err)
			}
			net.Set(faults.Silent, addr(t, client, coordinator))
			produce(t, producer, "after", long)
			took := within(t, groupLimit, "consuming again", func() error { return awaitValue(values, "after") })
			t.Logf("consuming again after %v", took)
		})
	}
}

// moveCoordinator deals the groups out anew until this one has another coordinator.
func moveCoordinator(t *testing.T, cluster *kfake.Cluster) {
	t.Helper()
	old := cluster.CoordinatorFor("g")
	for range 100 {
		cluster.RehashCoordinators()
		if cluster.CoordinatorFor("g") != old {
			return
		}
	}
	t.Fatal("the coordinator does not move")
}

// consume runs the only member of the group until the test ends and returns what it consumes.
func consume(t *testing.T, net *faults.Net, addrs []string, cfg *sarama.Config) <-chan string {
	t.Helper()
	group, err := sarama.NewConsumerGroup(addrs, "g", cfg)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, net, group)
	m := member{values: make(chan string, 100)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			if err := group.Consume(ctx, []string{"t"}, m); errors.Is(err, sarama.ErrClosedConsumerGroup) {
				return
			}
		}
	}()
	return m.values
}

// member hands on the value of each message.
type member struct{ values chan string }

func (m member) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (m member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (m member) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for msg := range claim.Messages() {
		s.MarkMessage(msg, "")
		m.values <- string(msg.Value)
	}
	return nil
}

func awaitValue(values <-chan string, want string) error {
	for {
		select {
		case v := <-values:
			if v == want {
				return nil
			}
		case <-time.After(6 * long):
			return errors.New("no message")
		}
	}
}
