package faults

import (
	"crypto/tls"
	"maps"
	"net"
	"slices"
	"sync"
	"testing"
)

// Cluster is a set of scripted brokers with ids 1 to n that name each other and share one view of topics and leaders.
type Cluster struct {
	t  testing.TB
	wg sync.WaitGroup

	mu         sync.Mutex
	id         string
	controller int32
	brokers    []*Broker
	nodes      map[int32]string
	topics     map[string]map[int32]int32
}

// Option changes how NewCluster builds a cluster.
type Option func(*options)

type options struct{ tls *tls.Config }

// WithTLS lets the brokers speak TLS.
func WithTLS(config *tls.Config) Option { return func(o *options) { o.tls = config } }

// NewCluster starts n brokers on loopback ports. They stop when the test ends.
func NewCluster(t testing.TB, n int, opts ...Option) *Cluster {
	t.Helper()
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	c := &Cluster{t: t, id: "cluster-1", controller: 1, nodes: map[int32]string{}, topics: map[string]map[int32]int32{}}
	for i := range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		b := newBroker(c, int32(i+1), listener)
		if o.tls != nil {
			b.listener = tls.NewListener(listener, o.tls)
		}
		c.brokers = append(c.brokers, b)
		c.nodes[b.ID] = b.Addr
	}
	for _, b := range c.brokers {
		c.wg.Go(b.serve)
	}
	t.Cleanup(c.Close)
	return c
}

// Close stops all brokers and waits for their goroutines.
func (c *Cluster) Close() {
	for _, b := range c.brokers {
		b.close()
	}
	c.wg.Wait()
}

// Broker returns the broker with this id.
func (c *Cluster) Broker(id int32) *Broker { return c.brokers[id-1] }

// Addrs returns the addresses of the brokers with these ids, or of all.
func (c *Cluster) Addrs(ids ...int32) []string {
	var addrs []string
	for _, b := range c.brokers {
		if len(ids) == 0 || slices.Contains(ids, b.ID) {
			addrs = append(addrs, b.Addr)
		}
	}
	return addrs
}

// SetTopic makes a topic with one partition per leader.
func (c *Cluster) SetTopic(name string, leaders ...int32) *Cluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := make(map[int32]int32, len(leaders))
	for p, leader := range leaders {
		parts[int32(p)] = leader
	}
	c.topics[name] = parts
	return c
}

// SetID changes the cluster's id.
func (c *Cluster) SetID(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = id
}

// SetController changes which broker is the controller.
func (c *Cluster) SetController(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.controller = id
}

// SetNodes replaces the brokers that the answers name.
func (c *Cluster) SetNodes(nodes ...Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes = map[int32]string{}
	for _, n := range nodes {
		c.nodes[n.ID] = n.Addr
	}
}

// Nodes returns the brokers that the answers name, by id.
func (c *Cluster) Nodes() []Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodeList()
}

func (c *Cluster) nodeList() []Node {
	var nodes []Node
	for _, id := range slices.Sorted(maps.Keys(c.nodes)) {
		nodes = append(nodes, Node{ID: id, Addr: c.nodes[id]})
	}
	return nodes
}

// metadata is the true answer to a request.
func (c *Cluster) metadata(req MetadataRequest) Metadata {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := Metadata{ClusterID: c.id, Controller: c.controller, Nodes: c.nodeList()}
	names := req.Topics
	if req.All {
		names = slices.Sorted(maps.Keys(c.topics))
	}
	for _, name := range names {
		parts, ok := c.topics[name]
		if !ok {
			m.Topics = append(m.Topics, Topic{Err: UnknownTopic, Name: name})
			continue
		}
		topic := Topic{Name: name}
		for _, id := range slices.Sorted(maps.Keys(parts)) {
			topic.Partitions = append(topic.Partitions, Partition{ID: id, Leader: parts[id]})
		}
		m.Topics = append(m.Topics, topic)
	}
	return m
}

// leader returns which broker leads a partition, or -1.
func (c *Cluster) leader(topic string, partition int32) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, ok := c.topics[topic][partition]; ok {
		return id
	}
	return -1
}
