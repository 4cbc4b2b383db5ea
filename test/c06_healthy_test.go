package test

import (
	"fmt"
	"testing"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama PR#3605, KAFKA-4024 and librdkafka#356: on a healthy cluster a refresh costs one request on a connection that is
// there already. Upstream picks any broker with nothing pending, connected or not, and so opens connections to all.
func TestC06HealthyClusterOpensNothing(t *testing.T) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, 6).SetTopic("t", 1, 2, 3)
	cluster.SetNodes(cluster.Nodes()[:5]...) // broker 6 is the seed only
	client := newClient(t, net, newConfig(net), cluster.Addrs(6)...)
	connect(t, client, 3)
	before := net.Total(cluster.Addrs()...)
	for range 50 {
		if err := client.RefreshMetadata("t"); err != nil {
			t.Fatal(err)
		}
	}
	after := net.Total(cluster.Addrs()...)
	if got := after.Dials - before.Dials; got != 0 {
		t.Errorf("%d connections opened, want none", got)
	}
	if got := len(after.Requests) - len(before.Requests); got != 50 {
		t.Errorf("%d requests sent, want 50", got)
	}
}

// sarama#3224, #3261 and beats#49210: 1000 goroutines ask for a topic each. The cluster is healthy, so what waits in the
// client's own queue must not look like a broker that is slow: no request more than upstream sends.
func TestC07ManyRefreshesAtOnce(t *testing.T) {
	const topics = 1000
	for _, single := range []bool{true, false} {
		t.Run(fmt.Sprintf("SingleFlight=%v", single), func(t *testing.T) {
			net := faults.New(t)
			cluster := faults.NewCluster(t, 3)
			for i := range topics {
				cluster.SetTopic(fmt.Sprint("t", i), 1)
			}
			cfg := newConfig(net)
			cfg.Metadata.Full = false
			cfg.Metadata.SingleFlight = single
			client := newClient(t, net, cfg, cluster.Addrs()...)
			if err := client.RefreshMetadata("t0"); err != nil {
				t.Fatal(err)
			}
			connect(t, client, 2)
			before := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata)
			refreshAll(t, client, topics)
			requests := net.Total(cluster.Addrs()...).Count(faults.KeyMetadata) - before
			// alone each is one request; shared, there is one for the first and a few for all that came in the meantime
			if single && requests > topics/10 || !single && requests > topics {
				t.Errorf("%d metadata requests for %d topics", requests, topics)
			}
			t.Logf("%d metadata requests, %d dials", requests, len(net.Dials()))
		})
	}
}

func refreshAll(t *testing.T, client sarama.Client, topics int) {
	t.Helper()
	var all crowd
	for i := range topics {
		all.do(func() error { return client.RefreshMetadata(fmt.Sprint("t", i)) })
	}
	all.wait(t, 6*long, "1000 refreshes")
	for i := range topics {
		if parts, err := client.Partitions(fmt.Sprint("t", i)); err != nil || len(parts) != 1 {
			t.Fatalf("topic t%d: %v %v", i, parts, err)
		}
	}
}
