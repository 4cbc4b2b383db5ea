package test

import (
	"testing"

	"sarama-fanout/test/faults"
)

// sarama#1004 and #846: a broker id moves to a new address while an attempt on the old address is pending. When the old
// one fails at last, it must not take the new one out of the client. (The series tests the same from inside.)
func TestC21OldBrokerDoesNotRemoveTheNew(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
	nodes := cluster.Nodes()
	old, moved := nodes[1].Addr, nodes[3].Addr
	cluster.SetNodes(nodes[0], nodes[1], nodes[2]) // 2 is at its old address
	client := newClient(t, net, newConfig(net), cluster.Addrs(1)...)
	connect(t, client, 2)
	net.Set(faults.Silent, old)
	cluster.SetNodes(nodes[0], faults.Node{ID: 2, Addr: moved}, nodes[2])
	if err := client.RefreshMetadata("t"); err != nil {
		t.Fatal(err)
	}
	net.Await(t, long, "the old one was asked", func() bool { return net.Stats(old).Count(faults.KeyMetadata) > 0 })
	net.Set(faults.Reset, old)
	net.Await(t, long, "the old connection is closed", func() bool { return net.Stats(old).Open == 0 })
	for range 5 {
		b, err := client.Broker(2)
		if err != nil {
			t.Fatal(err)
		}
		if b.Addr() != moved {
			t.Fatalf("broker 2 is at %s, want %s", b.Addr(), moved)
		}
		if err := client.RefreshMetadata("t"); err != nil {
			t.Fatal(err)
		}
	}
}
