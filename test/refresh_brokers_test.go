package test

import (
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// RefreshBrokers replaces all brokers, those that hang too: it waits for none of them, nor does anything after it.
func TestRefreshBrokersWhileAllHang(t *testing.T) {
	t.Parallel()
	for _, mode := range faults.Hung() {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			old := faults.NewCluster(t, 3).SetTopic("t", 1)
			replacement := faults.NewCluster(t, 2).SetTopic("t", 2)
			client := newClient(t, net, newConfig(net), old.Addrs()...)
			connect(t, client, 1)
			net.Set(mode, old.Addrs()...)
			refreshed := make(chan error, 1)
			before := net.Total(old.Addrs()...).Count(faults.KeyMetadata)
			go func() { refreshed <- client.RefreshMetadata("t") }()
			if mode == faults.Silent || mode == faults.Trickle { // the others do not take the request
				net.Await(t, long, "one is asked", func() bool { return net.Total(old.Addrs()...).Count(faults.KeyMetadata) > before })
			}
			took, err := within(t, long, "RefreshBrokers", func() error { return client.RefreshBrokers(replacement.Addrs()) })
			if err != nil || took > 500*time.Millisecond {
				t.Fatalf("RefreshBrokers took %v: %v", took, err)
			}
			// the refresh under way goes on to the new brokers, or one that comes now does
			if _, err := within(t, long, "the refresh", func() error { return <-refreshed }); err != nil {
				t.Fatal(err)
			}
			if _, err := within(t, delays(2)+slack, "a new refresh", func() error { return client.RefreshMetadata("t") }); err != nil {
				t.Fatal(err)
			}
			if got := leaderOf(t, client, "t", 0); got != 2 {
				t.Errorf("leader is %d, want 2", got)
			}
		})
	}
}
