package test

import (
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// sarama#2637 and linkedin/kafka PR#92: the address of a seed was given to another cluster. It answers at once and happily,
// and whoever believes it loses his cluster. While a registered broker is left to ask, it is not even asked.
func TestC10SeedOfAnotherCluster(t *testing.T) {
	for name, latency := range map[string]time.Duration{"300ms": 300 * time.Millisecond, "longer than the delay": 800 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 4).SetTopic("t", 1, 2, 3)
			cluster.SetNodes(cluster.Nodes()[:3]...)
			foreign := faults.NewCluster(t, 1).SetTopic("t", 1)
			foreign.SetID("cluster-2")
			seed := cluster.Broker(4)
			client := newClient(t, net, newConfig(net), seed.Addr)

			seed.Play(faults.Script{Metadata: func(faults.MetadataRequest, faults.Metadata) faults.Metadata {
				return faults.Metadata{
					ClusterID: "cluster-2", Controller: 1, Nodes: foreign.Nodes(),
					Topics: []faults.Topic{{Name: "t", Partitions: []faults.Partition{{ID: 0, Leader: 1}}}},
				}
			}})
			if latency > delay { // connected, or the handshake makes it so long that all have been asked
				connect(t, client, 1, 2, 3)
			}
			asked := seed.Received(faults.KeyMetadata)
			for _, id := range ids(1, 3) {
				net.SetLatency(cluster.Broker(id).Addr, latency)
			}
			for range 5 {
				if err := client.RefreshMetadata("t"); err != nil {
					t.Fatal(err)
				}
			}
			if got := seed.Received(faults.KeyMetadata) - asked; got != 0 {
				t.Errorf("the seed was asked %d times", got)
			}
			if got := len(client.Brokers()); got != 3 {
				t.Errorf("%d brokers registered, want 3", got)
			}
			for _, b := range client.Brokers() {
				if b.Addr() == foreign.Addrs()[0] {
					t.Errorf("%s of the other cluster is registered", b.Addr())
				}
			}
		})
	}
}
