package test

import (
	"testing"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama PR#2693: RefreshController closes the old controller while it holds the client's lock. With a request in flight
// there, upstream waits for its answer with all look-ups behind.
func TestC05RefreshController(t *testing.T) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4).SetTopic("t", 2, 1, 3)
	cluster.SetNodes(cluster.Nodes()[:3]...) // broker 4 is the seed only
	client := newClient(t, net, newConfig(net), cluster.Addrs(4)...)
	connect(t, client, 1, 2)
	if _, err := client.Coordinator("g"); err != nil {
		t.Fatal(err)
	}
	controller, err := client.Controller()
	if err != nil {
		t.Fatal(err)
	}
	if controller.ID() != 1 {
		t.Fatalf("controller is %d", controller.ID())
	}
	addr := cluster.Broker(1).Addr
	net.Set(faults.Silent, addr)
	before := net.Stats(addr).Count(faults.KeyMetadata)
	go func() { _, _ = controller.GetMetadata(sarama.NewMetadataRequest(sarama.V2_8_0_0, nil)) }()
	net.Await(t, long, "the request is in flight", func() bool { return net.Stats(addr).Count(faults.KeyMetadata) > before })

	cluster.SetController(2)
	refreshed := make(chan error, 1)
	go func() {
		b, err := client.RefreshController()
		if err == nil && b.ID() != 2 {
			t.Errorf("controller is %d, want 2", b.ID())
		}
		refreshed <- err
	}()
	mustAnswerAtOnceButController(t, client)
	if _, err := within(t, delays(1)+slack, "RefreshController", func() error { return <-refreshed }); err != nil {
		t.Error(err)
	}
}

// mustAnswerAtOnceButController leaves out what RefreshController takes away for a moment: partition 1 is led by the old
// controller, which is not registered until the next answer.
func mustAnswerAtOnceButController(t *testing.T, client sarama.Client) {
	t.Helper()
	for range 50 {
		for name, call := range lookups(client) {
			if name == "Leader of the broker that hangs" || name == "Coordinator" {
				continue
			}
			took, err := within(t, slack, name, call)
			if err != nil {
				t.Fatalf("%s after %v: %v", name, took, err)
			}
		}
	}
}
