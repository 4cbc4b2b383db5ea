package kfake

import (
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"

	"sarama-fanout/test/faults"
)

// sarama#661 and #2998: the leader of a partition dies in such a way that its connections break and new ones are never
// answered; another broker takes over. A message that comes then must find the new leader: within 1.5 s, where upstream
// waits 30 s and more whenever its refresh happens to ask the broker that hangs. Ten times, for the choice is random.
func TestC26ProducerFollowsTheLeader(t *testing.T) {
	t.Parallel()
	for _, mode := range []faults.Mode{faults.Silent, faults.Hole, faults.Frozen} {
		for i := range 5 {
			t.Run(fmt.Sprintf("%v/%d", mode, i), func(t *testing.T) {
				t.Parallel()
				cluster, net := newCluster(t)
				client, producer := newProducer(t, cluster, net)
				produce(t, producer, "before", long)

				old := loseLeader(t, cluster, net, client, mode)
				net.ResetConns(old)
				produce(t, producer, "after", 1500*time.Millisecond)
			})
		}
	}
}

// The same when the client hears of the move by a refresh of its own: a producer made then has no old leader to wait for.
// (One that was made before keeps its leader until a produce there fails; that is the producer's, not the refresh's.)
func TestC26RefreshThenProduce(t *testing.T) {
	t.Parallel()
	for i := range 5 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			cluster, net := newCluster(t)
			client, producer := newProducer(t, cluster, net)
			produce(t, producer, "before", long)

			loseLeader(t, cluster, net, client, faults.Silent)
			start := time.Now()
			within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
			second, err := sarama.NewAsyncProducerFromClient(client)
			if err != nil {
				t.Fatal(err)
			}
			closeAtEnd(t, net, second)
			produce(t, second, "after", long)
			if took := time.Since(start); took > 1500*time.Millisecond {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func newProducer(t *testing.T, cluster *kfake.Cluster, net *faults.Net) (sarama.Client, sarama.AsyncProducer) {
	t.Helper()
	client, err := sarama.NewClient(cluster.ListenAddrs(), newConfig(net))
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, net, client)
	producer, err := sarama.NewAsyncProducerFromClient(client)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, net, producer)
	return client, producer
}

func produce(t *testing.T, producer sarama.AsyncProducer, value string, limit time.Duration) {
	t.Helper()
	took := within(t, limit, "the message", func() error {
		producer.Input() <- message(value)
		return acked(producer)
	})
	t.Logf("%s: acknowledged after %v", value, took)
}

// loseLeader makes the leader of the partition hang and gives its place to the next broker. It returns the old address.
func loseLeader(t *testing.T, cluster *kfake.Cluster, net *faults.Net, client sarama.Client, mode faults.Mode) string {
	t.Helper()
	leader := cluster.LeaderFor("t", 0)
	old := addr(t, client, leader)
	net.Set(mode, old)
	if err := cluster.MoveTopicPartition("t", 0, (leader+1)%3); err != nil {
		t.Fatal(err)
	}
	return old
}
