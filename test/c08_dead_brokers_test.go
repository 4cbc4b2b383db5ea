package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#782 and KIP-144: when a cluster is down, its clients must not storm it. Never more than MaxInFlight dials at once,
// each address once per round, and the starts spread out even when each fails at once.
func TestC08TwentyDeadBrokers(t *testing.T) {
	const maxInFlight = 5 // default
	cases := map[string]struct {
		kill func(net *faults.Net, addrs []string)
		gap  time.Duration // least time between two starts, about
	}{
		// the starts that failures cause are Delay/20 apart at least: 25 ms, less jitter
		"refused": {func(net *faults.Net, addrs []string) { net.Set(faults.Refused, addrs...) }, 15 * time.Millisecond},
		// a host that is down: each dial takes a second to fail, so the starts come by the clock
		"unreachable": {func(net *faults.Net, addrs []string) {
			net.Set(faults.Refused, addrs...)
			for _, a := range addrs {
				net.SetDialDelay(a, time.Second)
			}
		}, 15 * time.Millisecond},
		"unresolvable": {func(net *faults.Net, addrs []string) { net.Set(faults.Unresolvable, addrs...) }, 15 * time.Millisecond},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 20)
			c.kill(net, cluster.Addrs())
			cfg := newConfig(net)
			rounds := countRounds(cfg, 1)
			_, err := within(t, 40*time.Second, "NewClient", func() error {
				_, err := sarama.NewClient(cluster.Addrs(), cfg)
				return err
			})
			mustBe(t, err, sarama.ErrOutOfBrokers)
			mustName(t, err, cluster.Addrs()...)
			if got := net.Total(cluster.Addrs()...).MaxDialling; got > maxInFlight {
				t.Errorf("%d dials at once, want at most %d", got, maxInFlight)
			}
			for _, addr := range cluster.Addrs() {
				if got := net.Stats(addr).Dials; got != rounds() {
					t.Errorf("%s: %d dials in %d rounds", addr, got, rounds())
				}
			}
			mustBeSpread(t, net.Dials()[:20], c.gap)
		})
	}
}

// countRounds sets the number of retries and returns how many rounds were begun: BackoffFunc is called once between two.
func countRounds(cfg *sarama.Config, retries int) func() int {
	rounds := make(chan struct{}, retries+1)
	cfg.Metadata.Retry.Max = retries
	cfg.Metadata.Retry.BackoffFunc = func(int, int) time.Duration {
		rounds <- struct{}{}
		return 10 * time.Millisecond
	}
	return func() int { return len(rounds) + 1 }
}

// mustBeSpread fails when the dials of a round came as a burst. The middle of the gaps is judged, for a busy machine may
// bring two starts together that were meant apart.
func mustBeSpread(t *testing.T, dials []faults.Dial, gap time.Duration) {
	t.Helper()
	tooClose := 0
	for i := 1; i < len(dials); i++ {
		if dials[i].At.Sub(dials[i-1].At) < gap {
			tooClose++
		}
	}
	if tooClose > len(dials)/4 {
		t.Errorf("%d of %d dials came less than %v after the one before", tooClose, len(dials), gap)
	}
	if all := dials[len(dials)-1].At.Sub(dials[0].At); all < time.Duration(len(dials)-1)*gap {
		t.Errorf("%d dials within %v", len(dials), all)
	}
}
