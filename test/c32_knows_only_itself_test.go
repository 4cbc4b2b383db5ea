package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// onlyItself is a broker that has just started: it has not heard of the others yet, nor of any topic.
func onlyItself(b *faults.Broker) faults.Script {
	return faults.Script{Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
		m = m.WithErr(faults.UnknownTopic)
		m.Nodes = []faults.Node{{ID: b.ID, Addr: b.Addr}}
		return m
	}}
}

// rskafka#84 and KAFKA-9261: the first to answer is a broker that knows only itself. Taken at its word, the client would
// forget the other brokers and the topics. The topics are found after at most one retry.
func TestC32BrokerThatKnowsOnlyItself(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) (*faults.Cluster, *faults.Net, *sarama.Config) {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
		cfg := newConfig(net)
		cfg.Metadata.Retry.Max = 1
		cfg.Metadata.Retry.Backoff = 20 * time.Millisecond
		return cluster, net, cfg
	}
	mustFind := func(t *testing.T, client sarama.Client) {
		t.Helper()
		if _, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
			t.Fatal(err)
		}
		if got := leaderOf(t, client, "t", 0); got != 2 {
			t.Errorf("leader is %d, want 2", got)
		}
		if got := len(client.Brokers()); got != 3 {
			t.Errorf("%d brokers registered, want 3", got)
		}
	}
	t.Run("it restarted", func(t *testing.T) {
		t.Parallel()
		for range 10 {
			cluster, net, cfg := setup(t)
			client := newClient(t, net, cfg, cluster.Addrs()...)
			connect(t, client, 1)
			cluster.Broker(1).Play(onlyItself(cluster.Broker(1)))
			mustFind(t, client)
		}
	})
	t.Run("all topics", func(t *testing.T) {
		t.Parallel()
		cluster, net, cfg := setup(t)
		client := newClient(t, net, cfg, cluster.Addrs()...)
		connect(t, client, 1)
		cluster.Broker(1).Play(faults.Script{Metadata: func(faults.MetadataRequest, faults.Metadata) faults.Metadata {
			return faults.Metadata{ClusterID: "cluster-1", Controller: 1, Nodes: cluster.Nodes()[:1]}
		}})
		if err := client.RefreshMetadata(); err != nil {
			t.Fatal(err)
		}
		if got := len(client.Brokers()); got != 3 {
			t.Errorf("%d brokers registered, want 3", got)
		}
		if topics, err := client.Topics(); err != nil || len(topics) != 1 {
			t.Errorf("topics: %v %v", topics, err)
		}
	})
	t.Run("it is the first seed", func(t *testing.T) {
		t.Parallel()
		for range 10 { // the order of the seeds is random
			cluster, net, cfg := setup(t)
			cfg.Metadata.Full = false
			cluster.Broker(1).Play(onlyItself(cluster.Broker(1)))
			client := newClient(t, net, cfg, cluster.Addrs()...)
			mustFind(t, client)
		}
	})
	t.Run("a cluster of one", func(t *testing.T) {
		t.Parallel()
		// it is true here: no second opinion, no retry
		net := faults.New(t)
		cluster := faults.NewCluster(t, 1).SetTopic("t", 1)
		client := newClient(t, net, newConfig(net), cluster.Addrs()...)
		before := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata)
		if err := client.RefreshMetadata("t"); err != nil {
			t.Fatal(err)
		}
		if got := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata) - before; got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}

// A cluster that really shrank to one broker: the others agree, or are gone. Either way the client follows in the end.
func TestC32ClusterThatShrank(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
	cfg := newConfig(net)
	cfg.Metadata.Retry.Max = 0 // a second round has one registered broker left, and nothing to doubt
	client := newClient(t, net, cfg, cluster.Addrs()...)
	connect(t, client, 1)
	cluster.SetNodes(cluster.Nodes()[:1]...)
	net.Set(faults.Refused, cluster.Addrs(2, 3)...)
	if _, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
		t.Fatal(err)
	}
	if got := len(client.Brokers()); got != 1 {
		t.Errorf("%d brokers registered, want 1", got)
	}
}
