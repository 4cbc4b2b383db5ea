package faults

import (
	"sync"
	"time"
)

// deadline is a read or write deadline that can be waited for and moved while somebody waits.
type deadline struct {
	mu    sync.Mutex
	at    time.Time
	moved chan struct{} // closed and replaced when at changes
}

func (d *deadline) set(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = at
	if d.moved != nil {
		close(d.moved)
	}
	d.moved = nil
}

// get returns the deadline and a channel that is closed when it moves.
func (d *deadline) get() (time.Time, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.moved == nil {
		d.moved = make(chan struct{})
	}
	return d.at, d.moved
}
