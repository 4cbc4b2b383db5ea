package test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"go.uber.org/goleak"

	"sarama-fanout/test/faults"
)

// sarama#422, #3393 and #2158: Close while a refresh meets brokers that hang. Upstream's refresh goes on until its network
// timeouts, and Close waits for whoever holds the locks. 200 clients are closed at 200 random moments of the first 1.5 s;
// when the connections end, so must every goroutine. In batches, for 200 refreshes at once under -race measure the machine.
//
// It is not parallel, since it looks for goroutines that are left over.
func TestC18CloseDuringARefresh(t *testing.T) {
	before := goleak.IgnoreCurrent()
	const batches, clients = 5, 40
	late := make(chan string, 2*batches*clients)
	for range batches {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 4).SetTopic("t", 1, 2, 3, 4)
		closeAll(t, net, cluster, clients, late)
		net.Release()
		cluster.Close()
	}
	// a busy machine makes single calls late; code that waits for a broker is late nearly always, and by seconds
	if len(late) > 2*batches*clients/50 {
		t.Errorf("%d of %d calls took more than 500 ms, for example: %s", len(late), 2*batches*clients, <-late)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

func closeAll(t *testing.T, net *faults.Net, cluster *faults.Cluster, clients int, late chan<- string) {
	t.Helper()
	var ready, all crowd
	start := make(chan struct{})
	for i := range clients {
		ready.do(func() error {
			client, err := comeUp(net, cluster, i)
			if err == nil {
				all.do(func() error {
					<-start
					return closeAtAnyMoment(client, late)
				})
			}
			return err
		})
	}
	ready.wait(t, 3*long, "starting the clients")
	for i, mode := range faults.Hung() {
		net.Set(mode, cluster.Addrs(int32(i+1))...)
	}
	close(start)
	all.wait(t, 2*long, "closing the clients")
}

// comeUp makes a client of which half have a connection that will hang, and half have none.
func comeUp(net *faults.Net, cluster *faults.Cluster, i int) (sarama.Client, error) {
	cfg := newConfig(net)
	cfg.Metadata.SingleFlight = i%3 != 0
	client, err := sarama.NewClient(cluster.Addrs(), cfg)
	if err != nil {
		return nil, err
	}
	if i%2 == 0 {
		if b, err := client.Broker(int32(i/2%4 + 1)); err == nil {
			_, _ = b.Connected()
		}
	}
	return client, nil
}

func closeAtAnyMoment(client sarama.Client, late chan<- string) error {
	refreshed := make(chan error, 1)
	begun := time.Now()
	go func() { refreshed <- client.RefreshMetadata("t") }()
	moment := time.Duration(rand.Int64N(int64(1500 * time.Millisecond)))
	select {
	case err := <-refreshed:
		return fmt.Errorf("all brokers hang, but the refresh ended after %v: %w", time.Since(begun), err)
	case <-time.After(moment):
	}
	closed := time.Now()
	done := make(chan error, 1)
	go func() { done <- client.Close() }()
	for _, call := range []struct {
		name string
		ends chan error
		want error
	}{{"Close", done, nil}, {"the refresh", refreshed, sarama.ErrClosedClient}} {
		select {
		case err := <-call.ends:
			if !errors.Is(err, call.want) {
				return fmt.Errorf("%s, closed after %v: got %w, want %w", call.name, moment, err, call.want)
			}
			if took := time.Since(closed); took > 500*time.Millisecond {
				late <- fmt.Sprintf("%s, closed after %v, took %v", call.name, moment, took)
			}
		case <-time.After(3 * time.Second):
			return fmt.Errorf("%s, closed after %v, hangs", call.name, moment)
		}
	}
	return nil
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
