package test

import (
	"testing"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#263, #2409 and #2645: one registered broker is dialling or silent, and cached look-ups freeze. Upstream's
// LeastLoadedBroker waits for the broker's lock while it holds the client's; as soon as somebody waits to write, every
// reader waits too.
func TestC03LookupsDoNotFreeze(t *testing.T) {
	cases := map[string]func(t *testing.T, net *faults.Net, client sarama.Client, addr string){
		"dialling": func(t *testing.T, net *faults.Net, client sarama.Client, addr string) {
			net.Set(faults.Hole, addr)
			open(t, client, 2)
			net.Await(t, long, "a dial hangs", func() bool { return net.Stats(addr).Dialling == 1 })
		},
		"handshake": func(t *testing.T, net *faults.Net, client sarama.Client, addr string) {
			net.Set(faults.Silent, addr)
			open(t, client, 2)
			net.Await(t, long, "ApiVersions is asked", func() bool { return net.Stats(addr).Count(faults.KeyAPIVersions) == 1 })
		},
		"waiting for an answer": func(t *testing.T, net *faults.Net, client sarama.Client, addr string) {
			connect(t, client, 2)
			net.Set(faults.Silent, addr)
			b, err := client.Broker(2)
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = b.GetMetadata(sarama.NewMetadataRequest(sarama.V2_8_0_0, nil)) }()
			net.Await(t, long, "metadata is asked", func() bool { return net.Stats(addr).Count(faults.KeyMetadata) == 1 })
		},
		"writing": func(t *testing.T, net *faults.Net, client sarama.Client, addr string) {
			net.Set(faults.Frozen, addr)
			open(t, client, 2)
			net.Await(t, long, "it is connected", func() bool { return net.Stats(addr).Open == 1 })
		},
	}
	for name, hang := range cases {
		t.Run(name, func(t *testing.T) {
			net := faults.New(t)
			cluster := faults.NewCluster(t, 4).SetTopic("t", 1, 2, 3)
			cluster.SetNodes(cluster.Nodes()[:3]...) // broker 4 is the seed only
			client := newClient(t, net, newConfig(net), cluster.Addrs(4)...)
			connect(t, client, 1)
			if _, err := client.Coordinator("g"); err != nil {
				t.Fatal(err)
			}
			hang(t, net, client, cluster.Broker(2).Addr)
			// two who write to the client's maps, so that readers queue behind a waiting writer
			repeat(t, func() { _ = client.RefreshMetadata("t") })
			repeat(t, func() { _ = client.RefreshCoordinator("g2") })
			mustAnswerAtOnce(t, client)
		})
	}
}

// open makes the registered broker connect, without waiting for it.
func open(t *testing.T, client sarama.Client, id int32) {
	t.Helper()
	if _, err := client.Broker(id); err != nil {
		t.Fatal(err)
	}
}
