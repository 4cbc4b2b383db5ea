package test

import (
	"testing"

	"sarama-fanout/test/faults"
)

// A broker that failed is asked last until it answers again: it comes back when the others fail, and is then like any other.
func TestFailedBrokerIsAskedLastAndComesBack(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
	cluster.SetNodes(cluster.Nodes()[:3]...)
	client := newClient(t, net, newConfig(net), cluster.Addrs(4)...)
	net.Set(faults.Refused, cluster.Addrs(4)...) // the seed is out of this
	failed := cluster.Broker(1).Addr
	refresh := func() {
		t.Helper()
		for _, b := range client.Brokers() {
			_ = b.Close()
		}
		if _, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
			t.Fatal(err)
		}
	}
	net.Set(faults.Refused, cluster.Addrs(1, 2)...)
	for range 20 { // 1 and 2 fail sooner or later
		refresh()
	}
	if net.Stats(failed).Dials == 0 {
		t.Fatal("broker 1 was never asked")
	}
	net.Set(faults.Healthy, cluster.Addrs(1, 2)...)
	before := net.Stats(failed).Dials
	for range 20 {
		refresh()
	}
	if got := net.Stats(failed).Dials - before; got > 1 {
		t.Errorf("broker 1 was asked %d times in 20 refreshes after its failure", got)
	}
	net.Set(faults.Refused, cluster.Addrs(3)...) // now the two that failed longest ago are all there is
	for range 20 {
		refresh()
	}
	if got := net.Total(cluster.Addrs(1, 2)...).Count(faults.KeyMetadata); got < 20 {
		t.Errorf("the brokers that failed before answered %d of 20 times", got)
	}
}

// Order: a connected idle broker is asked before one that has a request pending, and before one that is not connected.
func TestConnectedIdleBeforeBusy(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
	cluster.SetNodes(cluster.Nodes()[:3]...)
	client := newClient(t, net, newConfig(net), cluster.Addrs(4)...)
	connect(t, client, 1, 2)
	hold := make(chan struct{})
	cluster.Broker(1).Play(faults.Script{Hold: map[int16]<-chan struct{}{faults.KeyProduce: hold}})
	b, err := client.Broker(1)
	if err != nil {
		t.Fatal(err)
	}
	acked := make(chan error, 1)
	go func() {
		_, err := b.Produce(produceRequest())
		acked <- err
	}()
	net.Await(t, long, "broker 1 is busy", func() bool { return cluster.Broker(1).Received(faults.KeyProduce) == 1 })
	for range 20 {
		took, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
		if err != nil || took > delay/2 {
			t.Fatalf("after %v: %v", took, err)
		}
	}
	if got := net.Stats(cluster.Broker(1).Addr).Count(faults.KeyMetadata); got != 0 {
		t.Errorf("the busy broker was asked %d times while an idle one was connected", got)
	}
	close(hold)
	if _, err := within(t, long, "Produce", func() error { return <-acked }); err != nil {
		t.Error(err)
	}
}
