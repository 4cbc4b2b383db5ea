package test

import (
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// Rule 3: an answer that comes after the round is decided changes nothing, however wrong or right it is.
func TestLateAnswerChangesNothing(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 3)
	client := newClient(t, net, newConfig(net), cluster.Addrs(2, 3)...)
	connect(t, client, 1)
	hold := make(chan struct{})
	late := cluster.Broker(1)
	late.Play(faults.Script{
		Hold: map[int16]<-chan struct{}{faults.KeyMetadata: hold},
		Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
			m.Nodes = m.Nodes[:1]
			m.Topics = []faults.Topic{{Name: "t", Partitions: []faults.Partition{{ID: 0, Leader: 1}}}}
			return m
		},
	})
	if _, err := within(t, delays(1)+slack, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
		t.Fatal(err)
	}
	close(hold)
	late.Play(faults.Script{})
	// a produce on the same connection is answered after the late answer was read
	b, err := client.Broker(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := within(t, long, "Produce", func() error {
		_, err := b.Produce(produceRequest())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := leaderOf(t, client, "t", 0); got != 3 {
		t.Errorf("leader is %d, want 3: the late answer was applied", got)
	}
	if got := len(client.Brokers()); got != 3 {
		t.Errorf("%d brokers registered, want 3: the late answer was applied", got)
	}
}

// Rule 5: a loser that fails later closes its own dead connection only, and stays registered.
func TestLoserThatFailsLaterStaysRegistered(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
	client := newClient(t, net, newConfig(net), cluster.Addrs(2, 3)...)
	connect(t, client, 1)
	addr := cluster.Broker(1).Addr
	net.Set(faults.Silent, addr)
	if _, err := within(t, delays(1)+slack, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
		t.Fatal(err)
	}
	b, err := client.Broker(1)
	if err != nil {
		t.Fatal(err)
	}
	net.ResetConns(addr)
	net.Set(faults.Healthy, addr)
	net.Await(t, long, "the dead connection is closed", func() bool { return net.Stats(addr).Open == 0 })
	if again, err := client.Broker(1); err != nil || again != b {
		t.Errorf("broker 1 was %p, is %p: %v", b, again, err)
	}
	connect(t, client, 1) // and it works again
}

// Rule 5: seeds that lost are closed; the client keeps no connection that it will not use.
func TestLosingSeedsAreClosed(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4)
	cluster.SetNodes(cluster.Nodes()[3]) // the cluster is broker 4; the seeds are 1 to 3
	cfg := newConfig(net)
	setFanout(t, cfg, faults.Fanout{MaxInFlight: 3, Delay: 0, Growth: 1})
	for _, id := range ids(1, 3) {
		net.SetLatency(cluster.Broker(id).Addr, time.Duration(id)*20*time.Millisecond)
	}
	newClient(t, net, cfg, cluster.Addrs(1, 2, 3)...)
	seeds := func() faults.Stats { return net.Total(cluster.Addrs(1, 2, 3)...) }
	net.Await(t, long, "the losing seeds are closed", func() bool { return seeds().Dials == 3 && seeds().Open <= 1 && seeds().Dialling == 0 })
}
