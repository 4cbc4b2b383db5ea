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

// groupLimit is what upstream needs for the case below, and a half more: it took 4.3 to 5.8 s in ten runs of v1.61.1.
const groupLimit = 90 * time.Second

// sarama#2952, franz-go#652 and librdkafka#2266: the coordinator of a consumer group turns silent, and another broker takes
// its place. How the coordinator is looked up is still upstream's, one broker after another, so the bound here is
// upstream's time, with the network timeouts shortened to a second.
func TestC30CoordinatorTurnsSilent(t *testing.T) {
	t.Parallel()
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			cluster, net := newCluster(t)
			cfg := newConfig(net)
			cfg.Net.DialTimeout, cfg.Net.ReadTimeout, cfg.Net.WriteTimeout = time.Second, time.Second, time.Second
			cfg.Consumer.Group.Heartbeat.Interval = 200 * time.Millisecond
			cfg.Consumer.Offsets.Initial = sarama.OffsetOldest
			cfg.Consumer.MaxWaitTime = 100 * time.Millisecond
			client, err := sarama.NewClient(cluster.ListenAddrs(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			closeAtEnd(t, net, client)
			coordinator := cluster.CoordinatorFor("g")
			if err := cluster.MoveTopicPartition("t", 0, (coordinator+1)%3); err != nil {
				t.Fatal(err)
			}
			members := consume(t, net, cluster.ListenAddrs(), cfg)
			producer, err := sarama.NewAsyncProducerFromClient(client)
			if err != nil {
				t.Fatal(err)
			}
			closeAtEnd(t, net, producer)
			keepProducing(t, producer)
			within(t, long, "the first session", func() error { return members.consumedIn(1) })

			silent := addr(t, client, coordinator)
			moveCoordinator(t, cluster)
			net.Set(faults.Silent, silent)
			took := within(t, groupLimit, "consuming again", func() error { return members.consumedIn(2) })
			t.Logf("consuming again after %v", took)
		})
	}
}

// keepProducing sends a message every 50 ms until the test ends.
func keepProducing(t *testing.T, producer sarama.AsyncProducer) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			producer.Input() <- message("v")
			_ = acked(producer)
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-done
	})
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

// member is the handler of the only member of a group. It tells in which session each message was consumed.
type member struct {
	session  int
	consumed chan int
}

func (m *member) Setup(sarama.ConsumerGroupSession) error {
	m.session++
	return nil
}

func (m *member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (m *member) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for msg := range claim.Messages() {
		s.MarkMessage(msg, "")
		select {
		case m.consumed <- m.session:
		default: // nobody has asked for the last ones yet
		}
	}
	return nil
}

// consumedIn waits for a message of the n-th session or a later one.
func (m *member) consumedIn(n int) error {
	for {
		select {
		case session := <-m.consumed:
			if session >= n {
				return nil
			}
		case <-time.After(4 * long):
			return errors.New("no message")
		}
	}
}

func consume(t *testing.T, net *faults.Net, addrs []string, cfg *sarama.Config) *member {
	t.Helper()
	group, err := sarama.NewConsumerGroup(addrs, "g", cfg)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, net, group)
	m := &member{consumed: make(chan int, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			if err := group.Consume(ctx, []string{"t"}, m); errors.Is(err, sarama.ErrClosedConsumerGroup) {
				return
			}
		}
	}()
	return m
}
