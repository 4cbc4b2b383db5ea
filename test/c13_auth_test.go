package test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#1940: a user was just made, and one broker does not know him yet. Upstream takes the first rejection for final,
// whatever the others would say.
func TestC13OneBrokerRejectsTheUser(t *testing.T) {
	t.Parallel()
	for range 30 {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
		cluster.Broker(2).Play(faults.Script{AuthErr: faults.SaslAuthenticationFailed})
		cfg := newConfig(net)
		useSASL(cfg)
		newClient(t, net, cfg, cluster.Addrs()...)
	}
}

// Wrong credentials lock accounts: they are tried on at most one broker more than upstream tries, and never again.
func TestC13AllRejectTheUser(t *testing.T) {
	t.Parallel()
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 5)
		for _, id := range ids(1, 5) {
			cluster.Broker(id).Play(faults.Script{
				AuthErr: faults.SaslAuthenticationFailed,
				Delay:   map[int16]time.Duration{faults.KeySaslAuthenticate: latency},
			})
		}
		cfg := newConfig(net)
		useSASL(cfg)
		rounds := countRounds(cfg, 3)
		took, err := within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		mustBe(t, err, sarama.ErrSASLAuthenticationFailed)
		if took > 2*time.Second { // one that waits for silence to end takes 5 s
			t.Errorf("it took %v", took)
		}
		if rounds() != 1 {
			t.Errorf("%d rounds, want no retry", rounds())
		}
		if got := net.Total(cluster.Addrs()...).Count(faults.KeySaslAuthenticate); got > 2 {
			t.Errorf("the credentials were tried %d times, want at most 2", got)
		}
	}
}

// The rejection is not the end while an attempt in flight may still succeed: a slow broker was asked first, then one that
// rejects. But when the slow one hangs for good, the rejection must not wait for its 30 s.
func TestC13RejectionWhileAnotherHangs(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3)
	for _, id := range ids(2, 3) {
		cluster.Broker(id).Play(faults.Script{AuthErr: faults.SaslAuthenticationFailed})
	}
	net.Set(faults.Silent, cluster.Addrs(1)...)
	cfg := newConfig(net)
	useSASL(cfg)
	_, err := within(t, long, "NewClient", func() error {
		_, err := sarama.NewClient(cluster.Addrs(), cfg)
		return err
	})
	mustBe(t, err, sarama.ErrSASLAuthenticationFailed)
}
