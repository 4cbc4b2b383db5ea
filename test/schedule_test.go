package test

import (
	"slices"
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// hangConnected makes a client whose n registered brokers are all connected and silent but the last, which is not
// connected, so that it is asked last. It returns when each of the silent ones was asked, after the first.
func hangConnected(t *testing.T, f faults.Fanout, n int) []time.Duration {
	t.Helper()
	net := faults.New(t)
	cluster := faults.NewCluster(t, n).SetTopic("t", int32(n))
	cfg := newConfig(net)
	setFanout(t, cfg, f)
	client := newClient(t, net, cfg, cluster.Addrs(int32(n))...)
	hung := ids(1, n-1)
	connect(t, client, hung...)
	net.Set(faults.Silent, cluster.Addrs(hung...)...)
	if _, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
		t.Fatal(err)
	}
	var asked []time.Time
	for _, r := range net.Total(cluster.Addrs(hung...)...).Requests {
		if r.Key == faults.KeyMetadata {
			asked = append(asked, r.At)
		}
	}
	slices.SortFunc(asked, time.Time.Compare)
	var after []time.Duration
	for _, at := range asked[1:] {
		after = append(after, at.Sub(asked[0]))
	}
	return after
}

// Growth 2: the delays of a round are 200, 400 and 800 ms.
func TestGrowthOfDelays(t *testing.T) {
	t.Parallel()
	got := hangConnected(t, faults.Fanout{MaxInFlight: 5, Delay: 200 * time.Millisecond, Growth: 2}, 5)
	want := []time.Duration{200 * time.Millisecond, 600 * time.Millisecond, 1400 * time.Millisecond}
	if len(got) != len(want) {
		t.Fatalf("asked after %v, want about %v", got, want)
	}
	for i := range want {
		if got[i] < want[i]-10*time.Millisecond || got[i] > want[i]+150*time.Millisecond {
			t.Errorf("asked after %v, want about %v", got, want)
			break
		}
	}
}

// Delay 0: a small deployment asks up to MaxInFlight at once.
func TestNoDelayAsksAllAtOnce(t *testing.T) {
	t.Parallel()
	got := hangConnected(t, faults.Fanout{MaxInFlight: 5, Delay: 0, Growth: 1}, 5)
	if len(got) != 3 || got[2] > 200*time.Millisecond {
		t.Errorf("asked after %v, want 4 at once", got)
	}
}

// MaxInFlight bounds how many are waited for, whatever the delay.
func TestMaxInFlightHolds(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 8)
	net.Set(faults.Hole, cluster.Addrs()...)
	cfg := newConfig(net)
	setFanout(t, cfg, faults.Fanout{MaxInFlight: 3, Delay: 20 * time.Millisecond, Growth: 1})
	cfg.Metadata.Full = false
	client := newClient(t, net, cfg, cluster.Addrs()...)
	cfg.Metadata.Timeout = 0
	refreshed := make(chan error, 1)
	go func() { refreshed <- client.RefreshMetadata("t") }()
	net.Await(t, long, "three are asked", func() bool { return len(net.Dials()) == 3 })
	time.Sleep(10 * 20 * time.Millisecond) // ten delays in which a fourth would start
	if got := net.Total(cluster.Addrs()...).MaxDialling; got != 3 {
		t.Errorf("%d dials at once, want 3", got)
	}
	net.Set(faults.Healthy, cluster.Addrs()...)
	_, _ = within(t, long, "the refresh", func() error { return <-refreshed })
}

// The first attempt of a refresh is never held back nor jittered, not even behind refreshes that just failed.
func TestFirstAttemptIsAtOnce(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
	cfg := newConfig(net)
	setFanout(t, cfg, faults.Fanout{MaxInFlight: 5, Delay: time.Hour, Growth: 1, Jitter: 1})
	client := newClient(t, net, cfg, cluster.Addrs()...)
	for range 20 {
		took, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
		if err != nil || took > 500*time.Millisecond {
			t.Fatalf("after %v: %v", took, err)
		}
	}
}

// A failure is not silence: with a delay of an hour the next broker is still asked at once.
func TestFailureAsksTheNextAtOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []faults.Mode{faults.Refused, faults.Reset, faults.Unresolvable} {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 4).SetTopic("t", 4)
		cfg := newConfig(net)
		// the pause after a failure is a twentieth of the delay at least, so an hour would be too much here
		setFanout(t, cfg, faults.Fanout{MaxInFlight: 5, Delay: 4 * time.Second, Growth: 1})
		net.Set(mode, cluster.Addrs(1, 2, 3)...)
		start := time.Now()
		newClient(t, net, cfg, cluster.Addrs()...)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%v: it took %v", mode, took)
		}
	}
}
