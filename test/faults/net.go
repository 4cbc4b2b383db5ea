package faults

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// HoleTimeout is how long a dial into a Hole hangs at most: the default of Config.Net.DialTimeout.
	HoleTimeout = 30 * time.Second
	// HeaderSize is what Trickle lets through: the length and the correlation id of an answer.
	HeaderSize = 8
	// QuotaInterval is the time in which an address under Quota serves one new connection.
	QuotaInterval = time.Second
)

var errTestEnded = errors.New("faults: the test has ended")

// Net is a dialer for Config.Net.Proxy.Dialer with a Mode per address.
type Net struct {
	done chan struct{} // closed by Release

	mu        sync.Mutex
	places    map[string]*place
	dialling  int           // dials under way now, over all addresses
	maxDials  int           // most of them at once
	connNo    int           // number of the last connection
	changed   chan struct{} // closed and replaced at each event, for Await
	released  bool
	dialTrace []Dial
}

// place is what Net knows of one address.
type place struct {
	mode        Mode
	modeChanged chan struct{} // closed and replaced when mode changes
	dialDelay   time.Duration // how long each dial takes before it succeeds or fails
	latency     time.Duration // how much later than real each answer arrives
	lastServed  time.Time     // for Quota
	conns       map[*conn]struct{}
	stats       Stats
}

// Dial is one dial that a client started.
type Dial struct {
	Addr string
	At   time.Time
}

// Stats are the books of one address. They only grow, except for Dialling and Open.
type Stats struct {
	Dials       int // dials started
	Dialling    int // dials under way
	MaxDialling int // most dials under way at once
	Opened      int // connections made
	Open        int // connections that the client has not closed
	Requests    []Request
}

// Count returns how many requests with this API key were written.
func (s Stats) Count(key int16) int {
	n := 0
	for _, r := range s.Requests {
		if r.Key == key {
			n++
		}
	}
	return n
}

// New returns a Net with every address Healthy. It is released when the test ends.
func New(t testing.TB) *Net {
	n := &Net{done: make(chan struct{}), places: make(map[string]*place), changed: make(chan struct{})}
	t.Cleanup(n.Release)
	return n
}

// Release ends all that hangs and closes all connections. Later dials fail.
func (n *Net) Release() {
	n.mu.Lock()
	if n.released {
		n.mu.Unlock()
		return
	}
	n.released = true
	close(n.done)
	var conns []*conn
	for _, p := range n.places {
		for c := range p.conns {
			conns = append(conns, c)
		}
	}
	n.mu.Unlock()
	for _, c := range conns {
		c.hangUp()
	}
}

// Set changes what happens at the addresses from now on, to open connections too.
func (n *Net) Set(mode Mode, addrs ...string) {
	var cut []*conn
	n.mu.Lock()
	for _, addr := range addrs {
		p := n.place(addr)
		p.mode = mode
		close(p.modeChanged)
		p.modeChanged = make(chan struct{})
		if mode == Refused || mode == Reset {
			for c := range p.conns {
				cut = append(cut, c)
			}
		}
	}
	n.event()
	n.mu.Unlock()
	for _, c := range cut {
		c.reset()
	}
}

// ResetConns resets the open connections of the addresses; their mode stays.
func (n *Net) ResetConns(addrs ...string) {
	var cut []*conn
	n.mu.Lock()
	for _, addr := range addrs {
		for c := range n.place(addr).conns {
			cut = append(cut, c)
		}
	}
	n.mu.Unlock()
	for _, c := range cut {
		c.reset()
	}
}

// SetDialDelay makes each dial to addr take at least d, whatever comes of it.
func (n *Net) SetDialDelay(addr string, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.place(addr).dialDelay = d
}

// SetLatency makes each answer from addr arrive d later.
func (n *Net) SetLatency(addr string, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.place(addr).latency = d
}

// Stats returns a copy of the books of addr.
func (n *Net) Stats(addr string) Stats {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.place(addr).stats
	s.Requests = append([]Request(nil), s.Requests...)
	return s
}

// Total returns the books of the addresses taken together. MaxDialling is the most at once over every address of the Net.
func (n *Net) Total(addrs ...string) Stats {
	n.mu.Lock()
	defer n.mu.Unlock()
	var sum Stats
	for _, addr := range addrs {
		s := n.place(addr).stats
		sum.Dials += s.Dials
		sum.Dialling += s.Dialling
		sum.Opened += s.Opened
		sum.Open += s.Open
		sum.Requests = append(sum.Requests, s.Requests...)
	}
	sum.MaxDialling = n.maxDials
	return sum
}

// Dials returns all dials so far in the order in which they started.
func (n *Net) Dials() []Dial {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Dial(nil), n.dialTrace...)
}

// Await waits until cond holds, looking again after each dial, connection, request or change of mode.
func (n *Net) Await(t testing.TB, within time.Duration, what string, cond func() bool) {
	t.Helper()
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		n.mu.Lock()
		changed := n.changed
		n.mu.Unlock()
		if cond() {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			if !cond() {
				t.Fatalf("waited %v in vain until %s", within, what)
			}
			return
		}
	}
}

// Dial implements proxy.Dialer. It does not implement DialContext on purpose: a hole that a context could end would hide
// code that waits for the dial to return.
func (n *Net) Dial(network, addr string) (net.Conn, error) {
	started := time.Now()
	n.mu.Lock()
	p := n.place(addr)
	p.stats.Dials++
	p.stats.Dialling++
	p.stats.MaxDialling = max(p.stats.MaxDialling, p.stats.Dialling)
	n.dialling++
	n.maxDials = max(n.maxDials, n.dialling)
	n.dialTrace = append(n.dialTrace, Dial{addr, started})
	delay := p.dialDelay
	n.event()
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		p.stats.Dialling--
		n.dialling--
		n.event()
		n.mu.Unlock()
	}()

	if delay > 0 && !n.pause(delay) {
		return nil, dialError(network, errTestEnded)
	}
	hole := time.NewTimer(HoleTimeout - time.Since(started))
	defer hole.Stop()
	for {
		mode, changed := n.mode(p)
		select {
		case <-n.done:
			return nil, dialError(network, errTestEnded)
		default:
		}
		switch mode {
		case Hole:
			select {
			case <-changed:
			case <-n.done:
			case <-hole.C:
				return nil, dialError(network, os.ErrDeadlineExceeded)
			}
		case Refused:
			return nil, dialError(network, os.NewSyscallError("connect", syscall.ECONNREFUSED))
		case Unresolvable:
			host, _, _ := net.SplitHostPort(addr)
			return nil, dialError(network, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
		default:
			return n.connect(network, addr, p, mode)
		}
	}
}

func (n *Net) connect(network, addr string, p *place, mode Mode) (net.Conn, error) {
	inner, err := net.DialTimeout(network, addr, HoleTimeout)
	if err != nil {
		if mode == Healthy {
			return nil, err
		}
		inner = nil // a fault needs no listener behind it
	}
	c := &conn{net: n, place: p, addr: addr, inner: inner, closed: make(chan struct{}), cut: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.released {
		_ = c.closeInner()
		return nil, dialError(network, errTestEnded)
	}
	n.connNo++
	c.frames.conn = n.connNo
	if mode == Quota {
		if now := time.Now(); now.Sub(p.lastServed) < QuotaInterval {
			c.hungUp = true
		} else {
			p.lastServed = now
		}
	}
	p.conns[c] = struct{}{}
	p.stats.Opened++
	p.stats.Open++
	n.event()
	return c, nil
}

// place returns the entry of addr. n.mu is held.
func (n *Net) place(addr string) *place {
	p := n.places[addr]
	if p == nil {
		p = &place{modeChanged: make(chan struct{}), conns: make(map[*conn]struct{})}
		n.places[addr] = p
	}
	return p
}

func (n *Net) mode(p *place) (Mode, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return p.mode, p.modeChanged
}

// event wakes Await. n.mu is held.
func (n *Net) event() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// pause sleeps unless the test ends first.
func (n *Net) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-n.done:
		return false
	}
}

func dialError(network string, err error) error {
	return &net.OpError{Op: "dial", Net: network, Err: err}
}
