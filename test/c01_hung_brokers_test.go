package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#15, #2195, #824 and kafka-go#894: a refresh that meets brokers that hang. Upstream asks one after another and waits
// 30 s (connect) to 90 s (ApiVersions twice, then the request) for each.
//
// "seeds": the client starts with k of its n seeds hung, in the random order that Sarama gives them.
// "connected": the k that hang are the connected ones, so they are asked before the good ones.
func TestC01HungBrokersInEveryPosition(t *testing.T) {
	t.Parallel()
	for _, mode := range faults.Hung() {
		for n := 2; n <= 7; n++ {
			for k := 1; k < n; k++ {
				t.Run(fmt.Sprintf("%v/%d of %d/seeds", mode, k, n), func(t *testing.T) {
					t.Parallel()
					hungSeeds(t, mode, k, n)
				})
				t.Run(fmt.Sprintf("%v/%d of %d/connected", mode, k, n), func(t *testing.T) {
					t.Parallel()
					hungConnected(t, mode, k, n)
				})
			}
		}
	}
}

// limitFor is the sum of k delays and a round trip, or 10 s when all places in flight may be taken by brokers that hang.
func limitFor(k int) time.Duration {
	if k >= 5 {
		return 10 * time.Second
	}
	return delays(k) + slack
}

func hungSeeds(t *testing.T, mode faults.Mode, k, n int) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, n).SetTopic("t", ids(1, n)...)
	net.Set(mode, cluster.Addrs(ids(1, k)...)...)
	var client sarama.Client
	took, err := within(t, limitFor(k), "NewClient", func() (err error) {
		client, err = sarama.NewClient(cluster.Addrs(), newConfig(net))
		return err
	})
	if err != nil {
		t.Fatalf("after %v: %v", took, err)
	}
	closeAtEnd(t, net, client)
	if got := len(client.Brokers()); got != n {
		t.Errorf("%d brokers registered, want %d", got, n)
	}
}

func hungConnected(t *testing.T, mode faults.Mode, k, n int) {
	net := faults.New(t)
	cluster := faults.NewCluster(t, n).SetTopic("t", int32(n))
	client := newClient(t, net, newConfig(net), cluster.Addrs(int32(n))...)
	connect(t, client, ids(1, k)...)
	net.Set(mode, cluster.Addrs(ids(1, k)...)...)
	cluster.SetTopic("t", int32(n), int32(n)) // so that only a new answer knows partition 1
	took, err := within(t, limitFor(k), "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
	if err != nil {
		t.Fatalf("after %v: %v", took, err)
	}
	if got := leaderOf(t, client, "t", 1); got != int32(n) {
		t.Errorf("leader is %d, want %d", got, n)
	}
	// the answer still names those that hang: none may be lost
	if got := len(client.Brokers()); got != n {
		t.Errorf("%d brokers registered, want %d", got, n)
	}
}

// More brokers hang than may be in flight: one that is silent for long stops counting, or the 30 s would be back.
func TestC01SevenOfTwentyHung(t *testing.T) {
	t.Parallel()
	for _, mode := range faults.Hung() {
		t.Run(mode.String(), func(t *testing.T) {
			t.Parallel()
			hungConnected(t, mode, 7, 20)
		})
	}
}
