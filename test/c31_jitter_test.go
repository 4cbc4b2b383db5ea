package test

import (
	"slices"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// KIP-580 and peers: 1000 clients lose the same broker at the same time. Their second requests must not come in step, so
// each client draws its delay from 500 ms +- 20 % with a source of its own. A source that all share by its seed, or none,
// gives delays within a few milliseconds of each other. In waves, for a thousand at once would measure the machine.
func TestC31ClientsAreNotInStep(t *testing.T) {
	const waves, clients = 10, 100
	var all []time.Duration
	for range waves {
		all = append(all, secondRequests(t, clients)...)
		if t.Failed() {
			return
		}
	}
	slices.Sort(all)
	at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))] }
	t.Logf("%d clients: 1%% %v, 25%% %v, 50%% %v, 75%% %v, 99%% %v", len(all), at(.01), at(.25), at(.5), at(.75), at(.99))
	if at(.01) < 390*time.Millisecond {
		t.Errorf("1 in 100 asked again after %v or less, want 400 ms at least", at(.01))
	}
	// uniform over 200 ms: the middle half spans 100 ms
	if middle := at(.75) - at(.25); middle < 60*time.Millisecond {
		t.Errorf("the middle half of the clients asked again within %v of each other", middle)
	}
	if at(.5) > 600*time.Millisecond+slack/2 {
		t.Errorf("half the clients asked again only after %v", at(.5))
	}
}

// secondRequests returns how long after the start of its refresh, which asked the lost broker, each client asked another.
func secondRequests(t *testing.T, clients int) []time.Duration {
	cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
	nets := make([]*faults.Net, clients)
	begun := make([]time.Time, clients)
	lost := cluster.Broker(1).Addr
	var ready, done crowd
	for i := range nets {
		nets[i] = faults.New(t)
		ready.do(func() error {
			cfg := newConfig(nets[i])
			client, err := sarama.NewClient(cluster.Addrs(2), cfg)
			if err != nil {
				return err
			}
			b, err := client.Broker(1)
			if err != nil {
				return err
			}
			if _, err := b.Connected(); err != nil {
				return err
			}
			done.do(func() error {
				nets[i].Set(faults.Silent, lost)
				begun[i] = time.Now()
				err := client.RefreshMetadata("t")
				_ = client.Close()
				return err
			})
			return nil
		})
	}
	ready.wait(t, long, "a wave of starts")
	done.wait(t, long, "a wave of refreshes")
	var out []time.Duration
	for i, n := range nets {
		if d, ok := secondRequest(n, begun[i], cluster.Addrs(2, 3)); ok {
			out = append(out, d)
		}
		n.Release()
	}
	cluster.Close()
	if len(out) < clients*9/10 {
		t.Fatalf("%d of %d clients asked another broker", len(out), clients)
	}
	return out
}

// secondRequest is the time from the start of the refresh until that of the next attempt: the dial of a broker that was not
// connected.
func secondRequest(n *faults.Net, begun time.Time, others []string) (time.Duration, bool) {
	for _, d := range n.Dials() {
		if d.At.After(begun) && slices.Contains(others, d.Addr) {
			return d.At.Sub(begun), true
		}
	}
	return 0, false
}
