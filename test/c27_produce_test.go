package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// produceRequest is a request with one message for partition 0 of "t".
func produceRequest() *sarama.ProduceRequest {
	req := &sarama.ProduceRequest{RequiredAcks: sarama.WaitForLocal, Timeout: 10000, Version: 2}
	req.AddMessage("t", 0, &sarama.Message{Value: []byte("v"), Version: 1})
	return req
}

// Measured: upstream holds the broker's lock for the whole round trip, so a produce to a broker whose metadata answer is
// pending waits for that answer. It must be on the wire within 50 ms; judged by the best of ten for the sake of busy
// machines. Its own answer comes behind the one for metadata, as Kafka keeps the order.
func TestC27ProduceIsNotHeldUp(t *testing.T) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
	client := newClient(t, net, newConfig(net), cluster.Addrs(2, 3)...)
	connect(t, client, 1)
	leader := cluster.Broker(1)
	quickest := time.Hour
	for range 10 {
		hold := make(chan struct{})
		leader.Play(faults.Script{Hold: map[int16]<-chan struct{}{faults.KeyMetadata: hold}})
		asked := net.Stats(leader.Addr).Count(faults.KeyMetadata)
		produced := net.Stats(leader.Addr).Count(faults.KeyProduce)
		refreshed := make(chan error, 1)
		go func() { refreshed <- client.RefreshMetadata("t") }()
		net.Await(t, long, "the leader is asked", func() bool { return net.Stats(leader.Addr).Count(faults.KeyMetadata) > asked })

		b, err := client.Leader("t", 0)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		acked := make(chan error, 1)
		go func() {
			_, err := b.Produce(produceRequest())
			acked <- err
		}()
		net.Await(t, 3*time.Second, "the produce is on the wire", func() bool { return net.Stats(leader.Addr).Count(faults.KeyProduce) > produced })
		requests := net.Stats(leader.Addr).Requests
		quickest = min(quickest, requests[len(requests)-1].At.Sub(start))
		close(hold)
		if _, err := within(t, long, "the produce", func() error { return <-acked }); err != nil {
			t.Fatalf("the produce failed: %v", err)
		}
		if _, err := within(t, long, "the refresh", func() error { return <-refreshed }); err != nil {
			t.Fatal(err)
		}
	}
	if quickest > 50*time.Millisecond {
		t.Errorf("the quickest of ten produces waited %v", quickest)
	}
}

// A broker that lost the race keeps its connection: the produce in flight on it is answered, however long that takes.
func TestC27LosingBrokerKeepsItsProduce(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
	client := newClient(t, net, newConfig(net), cluster.Addrs(2, 3)...)
	connect(t, client, 1)
	leader := cluster.Broker(1)
	hold := make(chan struct{})
	leader.Play(faults.Script{Hold: map[int16]<-chan struct{}{faults.KeyMetadata: hold}})
	opened := net.Stats(leader.Addr).Opened

	refreshed := make(chan error, 1)
	go func() { refreshed <- client.RefreshMetadata("t") }()
	net.Await(t, long, "the leader is asked", func() bool { return net.Stats(leader.Addr).Count(faults.KeyMetadata) > 0 })
	b, err := client.Leader("t", 0)
	if err != nil {
		t.Fatal(err)
	}
	acked := make(chan error, 1)
	go func() {
		_, err := b.Produce(produceRequest())
		acked <- err
	}()
	if _, err := within(t, delays(1)+slack, "the refresh", func() error { return <-refreshed }); err != nil {
		t.Fatal(err)
	}
	if err := client.RefreshMetadata("t"); err != nil { // a second one, so that whatever would close the loser has run
		t.Fatal(err)
	}
	select {
	case err := <-acked:
		t.Fatalf("the produce ended before its answer: %v", err)
	default:
	}
	close(hold)
	if _, err := within(t, long, "the produce", func() error { return <-acked }); err != nil {
		t.Errorf("the produce failed because its broker lost: %v", err)
	}
	if s := net.Stats(leader.Addr); s.Opened != opened || s.Open != opened {
		t.Errorf("the loser's connection was closed: %d opened, %d open", s.Opened, s.Open)
	}
}
