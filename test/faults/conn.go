package faults

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// conn is a connection whose bytes pass or not as the mode of its address says. One goroutine reads at a time and one
// writes, as sarama's broker does.
type conn struct {
	net    *Net
	place  *place
	addr   string
	inner  net.Conn // nil when nothing listens behind a fault
	hungUp bool     // the other side closed the connection right after accepting it (Quota)

	read, write deadline
	closeOnce   sync.Once
	closed      chan struct{} // the client closed it, or the test ended
	cutOnce     sync.Once
	cut         chan struct{} // the connection was reset

	received []byte    // bytes that came from the broker and wait for delivery
	readyAt  time.Time // when they may be delivered (latency)
	trickled int       // bytes let through since Trickle began
	frames   framer
}

func (c *conn) Read(p []byte) (int, error) {
	for {
		mode, changed := c.net.mode(c.place)
		if err := c.broken(mode); err != nil {
			return 0, c.opError("read", err)
		}
		if c.hungUp {
			return 0, io.EOF
		}
		allowed := len(p)
		switch {
		case mode.delivers():
			c.trickled = 0
		case mode == Trickle:
			allowed = min(allowed, HeaderSize-c.trickled)
		default:
			allowed = 0
		}
		switch {
		case allowed == 0 || c.inner == nil && len(c.received) == 0:
			if err := c.wait(&c.read, changed, time.Time{}); err != nil {
				return 0, c.opError("read", err)
			}
		case len(c.received) > 0 && time.Now().Before(c.readyAt):
			if err := c.wait(&c.read, changed, c.readyAt); err != nil {
				return 0, c.opError("read", err)
			}
		case len(c.received) > 0:
			n := copy(p[:allowed], c.received)
			c.received = c.received[n:]
			if mode == Trickle {
				c.trickled += n
			}
			return n, nil
		default:
			// The mode may change while this waits: what comes is kept until the next turn of the loop has looked.
			buf := make([]byte, max(len(p), 512))
			n, err := c.inner.Read(buf)
			if n > 0 {
				c.received = append(c.received, buf[:n]...)
				c.readyAt = time.Now().Add(c.latency())
				continue
			}
			if c.isClosed(c.cut) {
				continue
			}
			return 0, err
		}
	}
}

func (c *conn) Write(p []byte) (int, error) {
	for {
		mode, changed := c.net.mode(c.place)
		if err := c.broken(mode); err != nil {
			return 0, c.opError("write", err)
		}
		if c.hungUp {
			return 0, c.opError("write", syscall.EPIPE)
		}
		if !mode.takes() {
			if err := c.wait(&c.write, changed, time.Time{}); err != nil {
				return 0, c.opError("write", err)
			}
			continue
		}
		// booked before it is passed on, so that no answer can come before its request is in the books
		c.net.mu.Lock()
		reqs := c.frames.feed(p)
		c.place.stats.Requests = append(c.place.stats.Requests, reqs...)
		if len(reqs) > 0 {
			c.net.event()
		}
		c.net.mu.Unlock()
		if c.inner == nil {
			return len(p), nil
		}
		n, err := c.inner.Write(p)
		if err != nil && c.isClosed(c.cut) {
			err = c.opError("write", syscall.ECONNRESET)
		}
		return n, err
	}
}

// broken returns the error of a connection that is gone for good.
func (c *conn) broken(mode Mode) error {
	switch {
	case c.isClosed(c.closed):
		return net.ErrClosed
	case c.isClosed(c.cut), mode == Reset, mode == Refused:
		return syscall.ECONNRESET
	}
	return nil
}

// wait returns nil when it is worth looking again: the mode or deadline changed, the connection was cut, or until came.
func (c *conn) wait(d *deadline, changed <-chan struct{}, until time.Time) error {
	at, moved := d.get()
	if !at.IsZero() && !time.Now().Before(at) {
		return os.ErrDeadlineExceeded
	}
	var expired, ready <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		expired = timer.C
	}
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		ready = timer.C
	}
	select {
	case <-expired:
		return os.ErrDeadlineExceeded
	case <-c.closed:
		return net.ErrClosed
	case <-c.cut:
	case <-changed:
	case <-moved:
	case <-ready:
	}
	return nil
}

func (c *conn) latency() time.Duration {
	c.net.mu.Lock()
	defer c.net.mu.Unlock()
	return c.place.latency
}

// Close is the client's.
func (c *conn) Close() error {
	err := c.opError("close", net.ErrClosed)
	c.closeOnce.Do(func() {
		close(c.closed)
		err = c.closeInner()
		c.net.mu.Lock()
		delete(c.place.conns, c)
		c.place.stats.Open--
		c.net.event()
		c.net.mu.Unlock()
	})
	return err
}

// hangUp is the harness's Close at the end of the test: the client sees a reset.
func (c *conn) hangUp() { c.reset() }

func (c *conn) reset() {
	c.cutOnce.Do(func() { close(c.cut) })
	_ = c.closeInner()
}

func (c *conn) closeInner() error {
	if c.inner == nil {
		return nil
	}
	err := c.inner.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil // reset closed it already
	}
	return err
}

func (c *conn) isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func (c *conn) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: c.RemoteAddr(), Err: err}
}

func (c *conn) LocalAddr() net.Addr { return c.RemoteAddr() }

func (c *conn) RemoteAddr() net.Addr {
	addr, err := net.ResolveTCPAddr("tcp", c.addr)
	if err != nil {
		return &net.TCPAddr{}
	}
	return addr
}

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.read.set(t)
	if c.inner == nil || c.isClosed(c.cut) {
		return nil
	}
	return c.inner.SetReadDeadline(t)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.write.set(t)
	if c.inner == nil || c.isClosed(c.cut) {
		return nil
	}
	return c.inner.SetWriteDeadline(t)
}
