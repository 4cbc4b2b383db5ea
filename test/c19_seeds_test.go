package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama PR#382, #1146 and #731: seeds that die must neither get lost nor be entered twice, over any number of rounds. Seen
// from outside: each of the five is dialled exactly once in each of ten rounds.
func TestC19DeadSeedsStay(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]time.Duration{"refused": 0, "slow to fail": 60 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rounds = 10
			net := faults.New(t)
			cluster := faults.NewCluster(t, 5)
			net.Set(faults.Refused, cluster.Addrs()...)
			for _, addr := range cluster.Addrs() {
				net.SetDialDelay(addr, slow)
			}
			cfg := newConfig(net)
			round := 0
			check := func() {
				round++
				for _, addr := range cluster.Addrs() {
					if got := net.Stats(addr).Dials; got != round {
						t.Errorf("%s was dialled %d times in %d rounds", addr, got, round)
					}
				}
			}
			cfg.Metadata.Retry.Max = rounds - 1
			cfg.Metadata.Retry.BackoffFunc = func(int, int) time.Duration {
				check()
				return time.Millisecond
			}
			_, err := within(t, 3*long, "NewClient", func() error {
				_, err := sarama.NewClient(cluster.Addrs(), cfg)
				return err
			})
			mustBe(t, err, sarama.ErrOutOfBrokers)
			check()
			if round != rounds {
				t.Errorf("%d rounds, want %d", round, rounds)
			}
		})
	}
	t.Run("one comes alive", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 5)
		net.Set(faults.Refused, cluster.Addrs()...)
		cfg := newConfig(net)
		round := 1
		cfg.Metadata.Retry.Max = 9
		cfg.Metadata.Retry.BackoffFunc = func(int, int) time.Duration {
			if round++; round == 5 {
				net.Set(faults.Healthy, cluster.Addrs(3)...)
			}
			return time.Millisecond
		}
		newClient(t, net, cfg, cluster.Addrs()...)
		if round != 5 {
			t.Errorf("found in round %d, want 5", round)
		}
	})
}
