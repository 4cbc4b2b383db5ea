package test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"go.uber.org/goleak"

	"sarama-fanout/test/faults"
)

// sarama#422, #3393 and #2158: Close while a refresh meets brokers that hang. Upstream's refresh goes on until its network
// timeouts, and Close waits for whoever holds the locks. 200 clients are closed at 200 random moments of the first 1.5 s;
// when the connections end, so must every goroutine.
//
// It is not parallel, since it looks for goroutines that are left over.
func TestC18CloseDuringARefresh(t *testing.T) {
	before := goleak.IgnoreCurrent()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4).SetTopic("t", 1, 2, 3, 4)
	const clients = 200
	var ready, all sync.WaitGroup
	start := make(chan struct{})
	for i := range clients {
		ready.Add(1)
		all.Go(func() {
			client := comeUp(t, net, cluster, i)
			ready.Done()
			if client != nil {
				<-start
				closeAtAnyMoment(t, client)
			}
		})
	}
	_, _ = within(t, 3*long, "starting the clients", func() error {
		ready.Wait()
		return nil
	})
	for i, mode := range faults.Hung() {
		net.Set(mode, cluster.Addrs(int32(i+1))...)
	}
	close(start)
	_, _ = within(t, 2*long, "closing the clients", func() error {
		all.Wait()
		return nil
	})
	net.Release()
	cluster.Close()
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// comeUp makes a client of which half have a connection that will hang, and half have none.
func comeUp(t *testing.T, net *faults.Net, cluster *faults.Cluster, i int) sarama.Client {
	cfg := newConfig(net)
	cfg.Metadata.SingleFlight = i%3 != 0
	client, err := sarama.NewClient(cluster.Addrs(), cfg)
	if err != nil {
		t.Error(err)
		return nil
	}
	if i%2 == 0 {
		if b, err := client.Broker(int32(i/2%4 + 1)); err == nil {
			_, _ = b.Connected()
		}
	}
	return client
}

func closeAtAnyMoment(t *testing.T, client sarama.Client) {
	refreshed := make(chan error, 1)
	var begun, closed time.Time
	begun = time.Now()
	go func() { refreshed <- client.RefreshMetadata("t") }()
	moment := time.Duration(rand.Int64N(int64(1500 * time.Millisecond)))
	select {
	case err := <-refreshed:
		t.Errorf("all brokers hang, but the refresh ended after %v: %v", time.Since(begun), err)
	case <-time.After(moment):
	}
	closed = time.Now()
	done := make(chan error, 1)
	go func() { done <- client.Close() }()
	select {
	case err := <-done:
		if took := time.Since(closed); err != nil || took > 500*time.Millisecond {
			t.Errorf("Close after %v took %v: %v", moment, took, err)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("Close after %v hangs", moment)
	}
	select {
	case err := <-refreshed:
		if took := time.Since(closed); !errors.Is(err, sarama.ErrClosedClient) || took > 500*time.Millisecond {
			t.Errorf("the refresh ended %v after Close: %v", took, err)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("the refresh goes on after Close")
	}
}

// Close ends a refresh in whatever phase its attempts hang, and in the back-off between two rounds.
func TestC18CloseInEveryPhase(t *testing.T) {
	for name, phase := range phases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := phase(t)
			closeHanging(t, p)
		})
	}
	t.Run("back-off", func(t *testing.T) {
		t.Parallel()
		net := faults.New(t)
		cluster := faults.NewCluster(t, 2)
		cfg := newConfig(net)
		sleeping := make(chan struct{}, 10)
		cfg.Metadata.Retry.BackoffFunc = func(int, int) time.Duration {
			sleeping <- struct{}{}
			return time.Minute
		}
		client := newClient(t, net, cfg, cluster.Addrs()...)
		net.Set(faults.Refused, cluster.Addrs()...)
		refreshed := make(chan error, 1)
		go func() { refreshed <- client.RefreshMetadata() }()
		<-sleeping
		mustCloseFast(t, client, refreshed)
	})
}

// closeHanging needs a client before the brokers hang: Metadata.Full=false makes one without asking anybody.
func closeHanging(t *testing.T, p phase) {
	p.cfg.Metadata.Full = false
	client := newClient(t, p.net, p.cfg, p.addrs...)
	refreshed := make(chan error, 1)
	go func() { refreshed <- client.RefreshMetadata("t") }()
	p.net.Await(t, long, "two are asked", func() bool { return len(p.net.Dials()) >= 2 })
	mustCloseFast(t, client, refreshed)
}

func mustCloseFast(t *testing.T, client sarama.Client, refreshed <-chan error) {
	t.Helper()
	took, err := within(t, long, "Close", client.Close)
	if err != nil || took > 500*time.Millisecond {
		t.Errorf("Close took %v: %v", took, err)
	}
	took, err = within(t, long, "the refresh", func() error { return <-refreshed })
	if !errors.Is(err, sarama.ErrClosedClient) || took > 500*time.Millisecond {
		t.Errorf("the refresh ended %v after Close: %v", took, err)
	}
}
