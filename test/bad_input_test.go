package test

import (
	"encoding/binary"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// malformed are answers that are no answers. Each must fail its attempt, and no more: the refresh goes on with the next
// broker, and memory stays bounded whatever length is announced.
func malformed() map[string]func(correlationID int32) []byte {
	head := func(length uint32, correlationID int32, rest ...byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, length)
		return append(binary.BigEndian.AppendUint32(b, uint32(correlationID)), rest...)
	}
	return map[string]func(int32) []byte{
		"garbage":                 func(id int32) []byte { return head(12, id, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) },
		"no length":               func(int32) []byte { return []byte("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") },
		"negative length":         func(id int32) []byte { return head(math.MaxUint32, id, 1, 2, 3, 4) },
		"length shorter than id":  func(id int32) []byte { return head(2, id) },
		"huge length":             func(id int32) []byte { return head(math.MaxInt32, id, 1, 2, 3, 4) },
		"another request's":       func(id int32) []byte { return head(8, id+77, 0, 0, 0, 0) },
		"huge array in the body":  func(id int32) []byte { return head(13, id, 0, 0xff, 0xff, 0xff, 0xff, 0x07, 0xff, 0xff, 0xff) },
		"cut off after its start": func(id int32) []byte { return head(5, id, 0) },
	}
}

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for name, raw := range malformed() {
		for phase, key := range map[string]int16{"metadata": faults.KeyMetadata, "ApiVersions": faults.KeyAPIVersions} {
			t.Run(phase+"/"+name, func(t *testing.T) {
				t.Parallel()
				net := faults.New(t)
				cluster := faults.NewCluster(t, 3).SetTopic("t", 3)
				client := newClient(t, net, newConfig(net), cluster.Addrs(3)...)
				bad := faults.Script{Raw: map[int16]func(int32) []byte{key: raw}}
				if key == faults.KeyMetadata { // the bad ones are the favourites
					connect(t, client, 1, 2)
				}
				cluster.Broker(1).Play(bad)
				cluster.Broker(2).Play(bad)
				cluster.SetTopic("t", 3, 3)
				took, err := within(t, delays(2)+slack, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
				if err != nil {
					t.Fatalf("after %v: %v", took, err)
				}
				if got := leaderOf(t, client, "t", 1); got != 3 {
					t.Errorf("leader is %d, want 3", got)
				}
			})
		}
	}
}

// Upstream reads the ApiVersions answer into a buffer of the length that the other side announced, up to 4 GiB.
func TestHugeLengthsTakeNoMemory(t *testing.T) {
	for _, length := range []uint32{math.MaxUint32, math.MaxInt32, 1 << 31, 0} {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 3)
		playAll(cluster, 3, faults.Script{Raw: map[int16]func(int32) []byte{faults.KeyAPIVersions: func(int32) []byte {
			return append(binary.BigEndian.AppendUint32(nil, length), 0, 0, 0, 0, 0, 0)
		}}})
		cfg := newConfig(net)
		cfg.Metadata.Retry.Max = 0
		cfg.Metadata.Timeout = 2 * delay
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 512<<20 {
			t.Errorf("an announced length of %d took %d MiB", length, grown>>20)
		}
	}
}

// Answers that name a broker id twice, or an address twice. Whether such an answer is used or fails its attempt, the refresh
// goes on to what the good broker says, and each address is asked once in a round.
func TestDuplicateBrokers(t *testing.T) {
	t.Parallel()
	cases := map[string]func(nodes []faults.Node) []faults.Node{
		"id twice":      func(n []faults.Node) []faults.Node { return append(n, faults.Node{ID: 1, Addr: n[1].Addr}) },
		"address twice": func(n []faults.Node) []faults.Node { return append(n, faults.Node{ID: 9, Addr: n[0].Addr}) },
		"all the same":  func(n []faults.Node) []faults.Node { return append(n, n...) },
	}
	for name, nodes := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 3).SetTopic("t", 2)
			bad := faults.Script{Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
				m.Nodes = nodes(m.Nodes)
				return m
			}}
			cluster.Broker(1).Play(bad)
			cluster.Broker(2).Play(bad)
			cfg := newConfig(net)
			cfg.Metadata.Retry.Max = 0
			client := newClient(t, net, cfg, cluster.Addrs()...)
			for range 10 {
				if _, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") }); err != nil {
					t.Fatal(err)
				}
				if got := leaderOf(t, client, "t", 0); got != 2 {
					t.Fatalf("leader is %d, want 2", got)
				}
			}
			for _, b := range client.Brokers() {
				_ = b.Close()
			}
			net.Set(faults.Refused, cluster.Addrs()...)
			before := len(net.Dials())
			mustBe(t, client.RefreshMetadata("t"), sarama.ErrOutOfBrokers)
			if got := len(net.Dials()) - before; got > 3 {
				t.Errorf("%d dials to 3 addresses in a round", got)
			}
		})
	}
}

// One Config for several clients, refreshing at once, with a broker that hangs: under -race nothing may be written to it,
// and the clients share nothing else.
func TestSharedConfig(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
	cfg := newConfig(net)
	var all crowd
	for range 6 {
		client := newClient(t, net, cfg, cluster.Addrs()...)
		connect(t, client, 1)
		all.do(func() error {
			for range 3 {
				if err := client.RefreshMetadata("t"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	net.Set(faults.Silent, cluster.Addrs(1)...)
	all.wait(t, delays(3)+3*slack, "refreshes")
}

// Fanout zero, as in a Config built by hand: one after another, as upstream. The second broker is asked when the first
// has failed by its own timeout, not before.
func TestZeroFanoutAsksOneAfterAnother(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]faults.Fanout{"zero": {}, "MaxInFlight 1": {MaxInFlight: 1, Delay: delay / 10, Growth: 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 4).SetTopic("t", 4)
			cfg := newConfig(net)
			setFanout(t, cfg, f)
			cfg.ApiVersionsRequest = false
			cfg.Net.ReadTimeout = time.Second
			client := newClient(t, net, cfg, cluster.Addrs()...)
			connect(t, client, 1, 2)
			net.Set(faults.Silent, cluster.Addrs(1, 2)...)
			took, err := within(t, long, "RefreshMetadata", func() error { return client.RefreshMetadata("t") })
			if err != nil {
				t.Fatal(err)
			}
			if took < 1900*time.Millisecond {
				t.Errorf("it took %v: the brokers were not asked one after another", took)
			}
		})
	}
}
