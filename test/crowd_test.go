package test

import (
	"sync"
	"testing"
	"time"
)

// crowd runs calls side by side and keeps their errors for the test's own goroutine: one that comes late must not report
// to a test that has ended.
type crowd struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	errs []error
}

func (c *crowd) do(f func() error) {
	c.wg.Go(func() {
		if err := f(); err != nil {
			c.mu.Lock()
			c.errs = append(c.errs, err)
			c.mu.Unlock()
		}
	})
}

// wait fails the test with the first errors, or when not all calls have returned in time.
func (c *crowd) wait(t *testing.T, limit time.Duration, what string) {
	t.Helper()
	_, _ = within(t, limit, what, func() error {
		c.wg.Wait()
		return nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, err := range c.errs {
		if i == 5 {
			t.Errorf("%s: %d errors more", what, len(c.errs)-i)
			break
		}
		t.Errorf("%s: %v", what, err)
	}
}
