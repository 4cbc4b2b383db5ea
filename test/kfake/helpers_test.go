package kfake

import (
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"

	"sarama-fanout/test/faults"
)

const long = 10 * time.Second // after this a call counts as hung

// newCluster starts three brokers (ids 0 to 2) with a topic "t" of one partition.
func newCluster(t *testing.T) (*kfake.Cluster, *faults.Net) {
	t.Helper()
	net := faults.New(t)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster, net
}

func newConfig(net *faults.Net) *sarama.Config {
	cfg := sarama.NewConfig()
	cfg.Net.Proxy.Enable = true
	cfg.Net.Proxy.Dialer = net
	cfg.Metadata.RefreshFrequency = 0
	cfg.Producer.Return.Successes = true
	cfg.Producer.Return.Errors = true
	return cfg
}

// addr returns the address of a broker.
func addr(t *testing.T, client sarama.Client, id int32) string {
	t.Helper()
	for _, b := range client.Brokers() {
		if b.ID() == id {
			return b.Addr()
		}
	}
	t.Fatalf("no broker %d", id)
	return ""
}

// within calls f and fails the test when it has not returned in time. It returns how long f took.
func within(t *testing.T, limit time.Duration, what string, f func() error) time.Duration {
	t.Helper()
	start := time.Now()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%s after %v: %v", what, time.Since(start), err)
		}
	case <-time.After(limit):
		t.Fatalf("%s has not ended after %v", what, limit)
	}
	return time.Since(start)
}

// closeAtEnd closes what the test opened, and gives up waiting when it hangs: the release of the network ends it.
func closeAtEnd(t *testing.T, net *faults.Net, closer interface{ Close() error }) {
	t.Cleanup(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = closer.Close()
		}()
		select {
		case <-done:
		case <-time.After(time.Second):
			net.Release()
		}
	})
}

// acked waits for the producer's verdict on one message.
func acked(p sarama.AsyncProducer) error {
	select {
	case <-p.Successes():
		return nil
	case err := <-p.Errors():
		return err
	case <-time.After(2 * long):
		return fmt.Errorf("no verdict")
	}
}

func message(value string) *sarama.ProducerMessage {
	return &sarama.ProducerMessage{Topic: "t", Value: sarama.StringEncoder(value)}
}
