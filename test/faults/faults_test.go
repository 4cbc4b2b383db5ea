package faults

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// ask writes an ApiVersions request of version 0 and reads the whole answer within d.
func ask(conn net.Conn, d time.Duration) (int, error) {
	_ = conn.SetDeadline(time.Now().Add(d))
	var e encoder
	e.int32(0)
	e.int16(KeyAPIVersions)
	e.int16(0)
	e.int32(7)
	e.string("me")
	e.b[3] = byte(len(e.b) - 4)
	if _, err := conn.Write(e.b); err != nil {
		return 0, err
	}
	head := make([]byte, HeaderSize)
	n, err := io.ReadFull(conn, head)
	if err != nil {
		return n, err
	}
	rest := make([]byte, int(head[2])<<8+int(head[3])-4)
	m, err := io.ReadFull(conn, rest)
	return n + m, err
}

// What a connection that is open meets when the mode changes under it.
func TestModesOfAnOpenConnection(t *testing.T) {
	const wait = 50 * time.Millisecond
	cases := map[Mode]struct {
		read int // bytes that come through
		err  error
	}{
		Silent: {0, os.ErrDeadlineExceeded}, Frozen: {0, os.ErrDeadlineExceeded}, Hole: {0, os.ErrDeadlineExceeded},
		Trickle: {HeaderSize, os.ErrDeadlineExceeded}, Reset: {0, syscall.ECONNRESET}, Refused: {0, syscall.ECONNRESET},
	}
	for mode, want := range cases {
		t.Run(mode.String(), func(t *testing.T) {
			n, addr := New(t), NewCluster(t, 1).Addrs()[0]
			conn, err := n.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := ask(conn, time.Second); err != nil {
				t.Fatal(err)
			}
			n.Set(mode, addr)
			if got, err := ask(conn, wait); !errors.Is(err, want.err) || got != want.read {
				t.Errorf("read %d bytes: %v; want %d and %v", got, err, want.read, want.err)
			}
			if s := n.Stats(addr); s.Dials != 1 || s.Open != 1 || s.Count(KeyAPIVersions) == 0 {
				t.Errorf("books: %+v", s)
			}
		})
	}
}

// A connection that was frozen goes on where it stopped.
func TestUnfreeze(t *testing.T) {
	n, addr := New(t), NewCluster(t, 1).Addrs()[0]
	conn, err := n.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	n.Set(Frozen, addr)
	answered := make(chan error, 1)
	go func() {
		_, err := ask(conn, 10*time.Second)
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("a frozen connection answered: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	n.Set(Healthy, addr)
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// What a dial meets.
func TestModesOfADial(t *testing.T) {
	n, addr := New(t), NewCluster(t, 1).Addrs()[0]
	var dns *net.DNSError
	n.Set(Refused, addr)
	if _, err := n.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("refused: %v", err)
	}
	n.Set(Unresolvable, addr)
	if _, err := n.Dial("tcp", addr); !errors.As(err, &dns) {
		t.Errorf("unresolvable: %v", err)
	}
	n.Set(Quota, addr)
	for i, want := range []error{nil, io.EOF} {
		conn, err := n.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(conn, time.Second); (want == nil) != (err == nil) {
			t.Errorf("connection %d under a quota: %v", i, err)
		}
		_ = conn.Close()
	}
	n.Set(Hole, addr)
	dialled := make(chan error, 1)
	go func() {
		_, err := n.Dial("tcp", addr)
		dialled <- err
	}()
	n.Await(t, time.Second, "a dial hangs", func() bool { return n.Stats(addr).Dialling == 1 })
	n.Release()
	if err := <-dialled; !errors.Is(err, errTestEnded) {
		t.Errorf("a hole after the end of the test: %v", err)
	}
	if s := n.Stats(addr); s.Dials != 5 || s.Opened != 2 || s.Open != 0 || s.MaxDialling != 1 {
		t.Errorf("books: %+v", s)
	}
}

// Requests are counted however their bytes are cut up, and what is no Kafka is let be.
func TestFramer(t *testing.T) {
	var e encoder
	e.int32(0)
	e.int16(KeyMetadata)
	e.int16(4)
	e.int32(9)
	e.string("me")
	e.length(2)
	e.string("a")
	e.string("b")
	e.bool(true)
	e.b[3] = byte(len(e.b) - 4)
	var f framer
	var got []Request
	for _, b := range append(e.b, e.b...) {
		got = append(got, f.feed([]byte{b})...)
	}
	if len(got) != 2 || got[1].CorrelationID != 9 || got[1].ClientID != "me" || len(got[1].Metadata.Topics) != 2 || !got[1].Metadata.AutoTopic {
		t.Errorf("got %+v", got)
	}
	if tls := f.feed([]byte{0x16, 3, 1, 0, 0, 0, 0, 0, 0, 0}); tls != nil || !f.off {
		t.Errorf("a TLS hello was taken for Kafka: %+v", tls)
	}
}
