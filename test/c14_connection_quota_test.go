package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// aws-msk-iam-auth#28 and franz-go#109: a broker accepts one new connection per second and hangs up on all others. Extra
// attempts must not use up the quota that the clients need to come up at all.
func TestC14ConnectionQuota(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ brokers, limited, clients int }{
		"one broker of three":      {3, 1, 8},
		"all three, three clients": {3, 3, 3},
		"only broker, two clients": {1, 1, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, c.brokers).SetTopic("t", 1)
			net.Set(faults.Quota, cluster.Addrs(ids(1, c.limited)...)...)
			const rounds = 8
			var all crowd
			for range c.clients {
				all.do(func() error {
					cfg := newConfig(net)
					cfg.Metadata.Retry.Max = rounds - 1
					cfg.Metadata.Retry.Backoff = 250 * time.Millisecond // upstream's default
					client, err := sarama.NewClient(cluster.Addrs(), cfg)
					if err != nil {
						return err
					}
					return client.Close()
				})
			}
			all.wait(t, long, "starting the clients")
			if got, most := len(net.Dials()), c.clients*rounds*c.brokers; got > most {
				t.Errorf("%d dials, want at most %d: one per address, client and round", got, most)
			}
			t.Logf("%d dials", len(net.Dials()))
		})
	}
}
