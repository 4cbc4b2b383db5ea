package test

import (
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// sarama#2952, #1555 and KIP-601: a broker is dead but the answers still list it, so it is registered again after each
// refresh. Upstream then picks it again like any other; here its failure is remembered and it is asked last.
func TestC09DeadBrokerStillListed(t *testing.T) {
	for _, mode := range []faults.Mode{faults.Refused, faults.Hole, faults.Silent} {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 4).SetTopic("t", 1, 2, 3)
			cluster.SetNodes(cluster.Nodes()[:3]...) // broker 4 is the seed only
			client := newClient(t, net, newConfig(net), cluster.Addrs(4)...)
			dead := cluster.Broker(2).Addr
			net.Set(mode, dead)
			net.Set(faults.Refused, cluster.Addrs(4)...)
			slow := 0
			for range 40 {
				// no broker is connected, so that the dead one is as good a choice as the others
				for _, b := range client.Brokers() {
					if b.Addr() != dead {
						_ = b.Close()
					}
				}
				took, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
				if err != nil {
					t.Fatal(err)
				}
				if took > 100*time.Millisecond {
					slow++
				}
			}
			if got := net.Stats(dead).Dials; got > 2 {
				t.Errorf("the dead broker was dialled %d times in 40 refreshes", got)
			}
			if slow > 5 {
				t.Errorf("%d of 40 refreshes waited for the dead broker", slow)
			}
		})
	}
}
