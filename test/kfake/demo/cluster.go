package main

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
)

const (
	brokerCount = 5
	hungCount   = 3 // brokers 1 to 3
)

// cluster is a kfake cluster on loopback whose first brokers hang.
type cluster struct {
	fake  *kfake.Cluster
	addrs []string // broker 1 first
}

func startCluster() (*cluster, error) {
	started := 0
	listen := func(network, address string) (net.Listener, error) {
		inner, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		started++ // kfake starts its brokers one after another, in order
		if started <= hungCount {
			return &silentListener{Listener: inner}, nil
		}
		return inner, nil
	}
	fake, err := kfake.NewCluster(kfake.NumBrokers(brokerCount), kfake.ListenFn(listen), kfake.SeedTopics(10, "orders"))
	if err != nil {
		return nil, fmt.Errorf("the fake cluster does not start on loopback: %w", err)
	}
	c := &cluster{fake: fake, addrs: fake.ListenAddrs()}
	if len(c.addrs) != brokerCount {
		c.close()
		return nil, fmt.Errorf("the fake cluster has %d brokers, not %d", len(c.addrs), brokerCount)
	}
	return c, nil
}

func (c *cluster) close() { c.fake.Close() }

// silentListener takes connections and says nothing on them, ever: what a client sees of a broker that was stopped, swaps,
// or waits for a dead disk. The kernel goes on taking connections for such a process. The fake broker behind the listener
// never hears of them.
type silentListener struct {
	net.Listener

	mu   sync.Mutex
	held []net.Conn
}

func (l *silentListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		l.held = append(l.held, conn)
		l.mu.Unlock()
	}
}

func (l *silentListener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.held {
		err = errors.Join(err, conn.Close())
	}
	l.held = nil
	return err
}
