package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#3710, PR#3711 and KAFKA-8275: a broker that throttles the client for an hour, with a request waiting for the hour
// to end. The waiting request holds the broker's lock, so in upstream selection waits for it, and all look-ups behind.
// The request that waits ends with the test binary: nothing in Sarama can end it.
func TestC04ThrottledBroker(t *testing.T) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1, 2, 3)
	client := newClient(t, net, newConfig(net), cluster.Addrs()...)
	throttled := cluster.Broker(1)
	throttled.Play(faults.Script{Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
		m.Throttle = time.Hour
		return m
	}})
	b, err := client.Broker(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.GetMetadata(sarama.NewMetadataRequest(sarama.V2_8_0_0, nil)); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	go func() {
		close(waiting)
		_, _ = b.GetMetadata(sarama.NewMetadataRequest(sarama.V2_8_0_0, nil))
	}()
	<-waiting
	time.Sleep(20 * time.Millisecond) // nothing outside Sarama shows that the request waits

	for range 20 {
		took, err := within(t, 3*time.Second, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
		if err != nil || took > delays(1)+slack {
			t.Fatalf("RefreshMetadata took %v: %v", took, err)
		}
	}
	for range 50 {
		var picked *sarama.Broker
		took, _ := within(t, 3*time.Second, "LeastLoadedBroker", func() error {
			picked = client.LeastLoadedBroker()
			return nil
		})
		if picked == nil || picked.ID() == 1 {
			t.Fatalf("the throttled broker was picked")
		}
		if took > 500*time.Millisecond {
			t.Fatalf("LeastLoadedBroker took %v", took)
		}
	}
	if took, err := within(t, 3*time.Second, "Close", client.Close); err != nil || took > 500*time.Millisecond {
		t.Errorf("Close took %v: %v", took, err)
	}
}
