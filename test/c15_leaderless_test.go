package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

func leaderless(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata { return m.Leaderless() }

func playAll(cluster *faults.Cluster, n int, s faults.Script) {
	for _, id := range ids(1, n) {
		cluster.Broker(id).Play(s)
	}
}

// sarama#3514 and PR#3525: all answers are leaderless for a second, as in an election, then good. A producer's message gets
// through within 3 s; upstream's retries are kept for this and must not be lost to a race.
func TestC15LeaderlessForASecond(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
	playAll(cluster, 3, faults.Script{Metadata: leaderless})
	cfg := newConfig(net)
	cfg.Producer.Return.Successes = true
	cfg.Metadata.Full = false
	cfg.Producer.Retry.Max = 10
	producer, err := sarama.NewSyncProducer(cluster.Addrs(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = producer.Close() })
	time.AfterFunc(time.Second, func() { playAll(cluster, 3, faults.Script{}) })
	took, err := within(t, 3*time.Second, "SendMessage", func() error {
		_, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: "t", Value: sarama.StringEncoder("v")})
		if err != nil { // the partitioner had no partition to choose yet: the caller tries again, as with upstream
			_, _, err = producer.SendMessage(&sarama.ProducerMessage{Topic: "t", Value: sarama.StringEncoder("v")})
		}
		return err
	})
	if err != nil {
		t.Fatalf("after %v: %v", took, err)
	}
}

// Leaderless for ever: the error of upstream after its retries, and no stall.
func TestC15LeaderlessForEver(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
	client := newClient(t, net, newConfig(net), cluster.Addrs()...)
	playAll(cluster, 3, faults.Script{Metadata: leaderless})
	before := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata)
	took, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
	mustBe(t, err, sarama.ErrLeaderNotAvailable)
	// Retry.Max 3 at 250 ms
	if took < 750*time.Millisecond || took > 750*time.Millisecond+slack {
		t.Errorf("it took %v, want 3 back-offs of 250 ms", took)
	}
	if got := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata) - before; got > 8 {
		t.Errorf("%d requests in 4 rounds", got)
	}
	// the partition is known, only without a leader
	if parts, err := client.Partitions("t"); err != nil || len(parts) != 1 {
		t.Errorf("Partitions: %v %v", parts, err)
	}
}

// One broker has not heard of the election: the others know the leader, so the next round, with another broker, ends it.
func TestC15OneBrokerIsLeaderless(t *testing.T) {
	t.Parallel()
	for range 20 {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
		cluster.Broker(1).Play(faults.Script{Metadata: leaderless})
		cfg := newConfig(net)
		cfg.Metadata.Full = false
		cfg.Metadata.Retry.Max = 1
		cfg.Metadata.Retry.Backoff = 10 * time.Millisecond
		client := newClient(t, net, cfg, cluster.Addrs()...)
		if _, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
			t.Fatal(err)
		}
	}
}
