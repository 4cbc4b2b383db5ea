package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// Measured under -race: a request's version is clamped in place to what its broker speaks, so two brokers with different
// ranges must not share one request object. The versions on the wire say whether each got its own.
func TestC28EachBrokerItsOwnVersions(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
	for _, id := range ids(1, 4) {
		cluster.Broker(id).Play(faults.Script{Versions: map[int16]faults.Versions{
			faults.KeyAPIVersions: {Min: 0, Max: 3}, faults.KeyMetadata: {Min: 0, Max: int16(4 + id)},
		}})
	}
	for round := range 20 {
		cfg := newConfig(net)
		faults.Fanout{MaxInFlight: 4, Delay: 0, Growth: 1, Jitter: 0}.Apply(cfg) // all at once
		client := newClient(t, net, cfg, cluster.Addrs()...)
		connect(t, client, ids(1, 4)...)
		for range 5 {
			if err := client.RefreshMetadata("t"); err != nil {
				t.Fatal(round, err)
			}
		}
	}
	for _, id := range ids(1, 4) {
		for _, r := range net.Stats(cluster.Broker(id).Addr).Requests {
			if r.Key == faults.KeyMetadata && r.Version != int16(4+id) {
				t.Fatalf("broker %d was asked in version %d, speaks %d", id, r.Version, 4+id)
			}
		}
	}
}

type token struct{}

func (token) Token() (*sarama.AccessToken, error) { return &sarama.AccessToken{Token: "t"}, nil }

// Measured under -race: with OAUTHBEARER upstream's Open writes SASL.Version into the Config, which two brokers that are
// opened at once share. The version that the user set is 0, so that there is something to write.
func TestC28OAuthOpensTwoAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
		cfg := newConfig(net)
		cfg.Net.SASL.Enable = true
		cfg.Net.SASL.Mechanism = sarama.SASLTypeOAuth
		cfg.Net.SASL.TokenProvider = token{}
		cfg.Net.SASL.Version = sarama.SASLHandshakeV0
		cfg.ApiVersionsRequest = false // Validate wants it so with version 0
		faults.Fanout{MaxInFlight: 4, Delay: 0, Growth: 1, Jitter: 0}.Apply(cfg)
		client := newClient(t, net, cfg, cluster.Addrs()...)
		for _, id := range ids(1, 4) {
			open(t, client, id)
		}
		connect(t, client, ids(1, 4)...)
		if cfg.Net.SASL.Version != sarama.SASLHandshakeV0 {
			t.Fatalf("Open changed the caller's Config")
		}
	}
}

// Measured under -race: the refresh that callers share gathers their topics in a slice and uses it again for the next one,
// while an attempt that lost may still be encoding it. From outside the moment is hard to hit; the series has the test that
// fails for certain. This one looks at what was sent.
func TestC28TopicsOfAFinishedRefresh(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4)
	for i := range 40 {
		cluster.SetTopic(fmt.Sprint("t", i), 1)
	}
	cfg := newConfig(net)
	faults.Fanout{MaxInFlight: 4, Delay: 0, Growth: 1, Jitter: 0}.Apply(cfg)
	client := newClient(t, net, cfg, cluster.Addrs()...)
	for _, id := range ids(1, 3) {
		net.SetDialDelay(cluster.Broker(id).Addr, time.Duration(id)*5*time.Millisecond)
	}
	for range 10 {
		for _, b := range client.Brokers() { // so that the slow ones send their request after the race is over
			_ = b.Close()
		}
		var all crowd
		for i := range 40 {
			all.do(func() error { return client.RefreshMetadata(fmt.Sprint("t", i)) })
		}
		all.wait(t, long, "40 refreshes")
	}
	for _, r := range net.Total(cluster.Addrs()...).Requests {
		seen := map[string]bool{}
		for _, topic := range r.Metadata.Topics {
			if seen[topic] {
				t.Fatalf("a request names %s twice: %v", topic, r.Metadata.Topics)
			}
			seen[topic] = true
		}
	}
}
