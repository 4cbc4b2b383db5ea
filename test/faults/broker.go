package faults

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Versions is a range of versions of one request.
type Versions struct{ Min, Max int16 }

// Broker is one scripted broker. Its zero script answers truthfully and at once.
type Broker struct {
	ID   int32
	Addr string

	cluster  *Cluster
	listener net.Listener
	done     chan struct{}

	mu       sync.Mutex
	script   Script
	received []Request
	conns    map[net.Conn]struct{}
	closed   bool
}

// Script says how a broker differs from a good one. Maps are by API key.
type Script struct {
	// Metadata changes the true answer. It runs without locks and may be called from several goroutines.
	Metadata func(req MetadataRequest, truth Metadata) Metadata
	// Versions replaces what ApiVersions says.
	Versions map[int16]Versions
	// Delay is how long an answer takes. Later requests of that connection wait behind it, as with a real broker.
	Delay map[int16]time.Duration
	// Hold keeps answers back until the channel is closed.
	Hold map[int16]<-chan struct{}
	// Mute drops requests: they are read and never answered, later ones of that connection neither.
	Mute map[int16]bool
	// HangUp closes the connection instead of answering.
	HangUp map[int16]bool
	// Raw returns the bytes to send in place of an answer, length and correlation id included.
	Raw map[int16]func(correlationID int32) []byte
	// HandshakeErr and AuthErr are the error codes of the SASL answers.
	HandshakeErr, AuthErr int16
}

func newBroker(c *Cluster, id int32, listener net.Listener) *Broker {
	return &Broker{
		ID: id, Addr: listener.Addr().String(), cluster: c, listener: listener,
		done: make(chan struct{}), conns: map[net.Conn]struct{}{},
	}
}

// Play replaces the script. Answers that are already being made keep the old one.
func (b *Broker) Play(s Script) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.script = s
}

// Received returns how many requests with this API key have arrived.
func (b *Broker) Received(key int16) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, r := range b.received {
		if r.Key == key {
			n++
		}
	}
	return n
}

func (b *Broker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	close(b.done)
	_ = b.listener.Close()
	for conn := range b.conns {
		_ = conn.Close()
	}
}

func (b *Broker) serve() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.mu.Lock()
		if b.closed {
			b.mu.Unlock()
			_ = conn.Close()
			return
		}
		b.conns[conn] = struct{}{}
		b.mu.Unlock()
		b.cluster.wg.Go(func() {
			b.talk(conn)
			b.mu.Lock()
			delete(b.conns, conn)
			b.mu.Unlock()
			_ = conn.Close()
		})
	}
}

// talk answers the requests of one connection in their order.
func (b *Broker) talk(conn net.Conn) {
	for {
		req, err := readRequest(conn)
		if err != nil {
			return
		}
		b.mu.Lock()
		s := b.script
		b.received = append(b.received, Request{Key: req.Key, Version: req.Version, Metadata: req.Metadata})
		b.mu.Unlock()
		if !b.linger(s.Delay[req.Key], s.Hold[req.Key]) || s.HangUp[req.Key] {
			return
		}
		if s.Mute[req.Key] {
			<-b.done
			return
		}
		answer := b.answer(s, req)
		if answer == nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// linger waits for the script's delay and hold; false when the test ended.
func (b *Broker) linger(delay time.Duration, hold <-chan struct{}) bool {
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-b.done:
			return false
		}
	}
	if hold != nil {
		select {
		case <-hold:
		case <-b.done:
			return false
		}
	}
	return true
}

func (b *Broker) answer(s Script, req Request) []byte {
	if raw := s.Raw[req.Key]; raw != nil {
		return raw(req.CorrelationID)
	}
	var body []byte
	switch req.Key {
	case KeyAPIVersions:
		body = encodeVersions(s.Versions, req.Version)
	case KeyMetadata:
		m := b.cluster.metadata(req.Metadata)
		if s.Metadata != nil {
			m = s.Metadata(req.Metadata, m)
		}
		body = m.encode(req.Version)
	case KeyProduce:
		body = b.produce(req)
		if body == nil {
			return nil
		}
	case KeyFindCoordinator:
		body = b.coordinator(req)
	case KeySaslHandshake:
		var e encoder
		e.int16(s.HandshakeErr)
		e.length(2)
		e.string("PLAIN")
		e.string("OAUTHBEARER")
		body = e.b
	case KeySaslAuthenticate:
		body = encodeAuth(s.AuthErr, req.Version)
	default:
		return nil
	}
	// ApiVersions answers keep the old header in every version.
	return Frame(req.CorrelationID, flexible(req.Key, req.Version) && req.Key != KeyAPIVersions, body)
}

// Frame puts the length and the header of an answer before its body.
func Frame(correlationID int32, flex bool, body []byte) []byte {
	e := encoder{flex: flex}
	e.int32(0)
	e.int32(correlationID)
	e.tags()
	e.b = append(e.b, body...)
	binary.BigEndian.PutUint32(e.b, uint32(len(e.b)-4))
	return e.b
}

// defaultVersions are the versions that the answers below are written for.
var defaultVersions = map[int16]Versions{
	KeyProduce: {0, 3}, KeyFetch: {0, 4}, KeyMetadata: {0, 11}, KeyFindCoordinator: {0, 2},
	KeySaslHandshake: {0, 1}, KeyAPIVersions: {0, 4}, KeySaslAuthenticate: {0, 2},
}

func encodeVersions(ranges map[int16]Versions, version int16) []byte {
	if ranges == nil {
		ranges = defaultVersions
	}
	e := encoder{flex: version >= 3}
	e.int16(NoError)
	e.length(len(ranges))
	for key, r := range ranges {
		e.int16(key)
		e.int16(r.Min)
		e.int16(r.Max)
		e.tags()
	}
	if version >= 1 {
		e.int32(0) // throttle
	}
	e.tags()
	return e.b
}

func encodeAuth(code, version int16) []byte {
	e := encoder{flex: version >= 2}
	e.int16(code)
	e.null() // message
	if e.flex {
		e.length(0)
	} else {
		e.int32(0)
	}
	if version >= 1 {
		e.int64(0) // session lifetime
	}
	e.tags()
	return e.b
}

// coordinator names this broker as everybody's coordinator.
func (b *Broker) coordinator(req Request) []byte {
	var e encoder
	if req.Version >= 1 {
		e.int32(0) // throttle
	}
	e.int16(NoError)
	if req.Version >= 1 {
		e.null() // message
	}
	host, port, _ := net.SplitHostPort(b.Addr)
	e.int32(b.ID)
	e.string(host)
	e.int32(atoi32(port))
	return e.b
}

func readRequest(r io.Reader) (Request, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return Request{}, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > 64<<20 {
		return Request{}, errors.New("faults: no Kafka request")
	}
	frame := make([]byte, n)
	if _, err := io.ReadFull(r, frame); err != nil {
		return Request{}, err
	}
	req, ok := parseRequest(frame)
	if !ok {
		return req, errors.New("faults: no Kafka request")
	}
	return req, nil
}
