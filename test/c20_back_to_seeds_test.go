package test

import (
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// sarama#1150 and KIP-899: all registered brokers are dead, but a seed is alive. One refresh without retries gets there.
// Upstream does too, after 30 s and more for each broker that hangs.
func TestC20BackToTheSeeds(t *testing.T) {
	t.Parallel()
	for _, mode := range append(faults.Hung(), faults.Refused, faults.Reset, faults.Unresolvable) {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
			cluster.SetNodes(cluster.Nodes()[:3]...) // broker 4 is the seed only
			cfg := newConfig(net)
			cfg.Metadata.Retry.Max = 0
			client := newClient(t, net, cfg, cluster.Addrs(4)...)
			net.Set(mode, cluster.Addrs(1, 2, 3)...)
			took, err := within(t, delays(3)+slack, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
			if err != nil {
				t.Fatalf("after %v: %v", took, err)
			}
			if got := len(client.Brokers()); got != 3 {
				t.Errorf("%d brokers registered, want 3", got)
			}
		})
	}
}

// A name that cannot be resolved is a failure like a refusal: the next one is asked at once.
func TestC20UnresolvableNameFailsFast(t *testing.T) {
	t.Parallel()
	cluster := faults.NewCluster(t, 1)
	names := []string{"a.invalid:9092", "b.invalid:9092", "c.invalid:9092"}
	var slowest time.Duration
	for range 8 { // the order of the seeds is random: the good one is last once in a while
		net := faults.New(t)
		net.Set(faults.Unresolvable, names...)
		cfg := newConfig(net)
		cfg.Metadata.Retry.Max = 0
		start := time.Now()
		newClient(t, net, cfg, append(names, cluster.Addrs()...)...)
		slowest = max(slowest, time.Since(start))
	}
	if slowest > 400*time.Millisecond {
		t.Errorf("the slowest took %v, as if a failure were waited for like silence", slowest)
	}
}
