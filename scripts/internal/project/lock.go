package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"sarama-fanout/scripts/internal/hint"
)

// Lock keeps other runs out and clears what a killed run left behind. A second run waits: two people typing make at once
// both want it done. The kernel drops the lock with its last holder, so there is no stale lock to clear; git gets the file
// too (see package git), so a git that outlives its killed parent still keeps the next run out of its folder.
func (p *Project) Lock() error {
	path := filepath.Join(p.Upstream(), ".lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return hint.Errorf("ls -ld "+Quote(p.Upstream())+"   (it must be writable)", "cannot write in %s: %v", p.Upstream(), err)
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		other := make([]byte, 20)
		n, _ := f.ReadAt(other, 0)
		fmt.Fprintf(os.Stderr, "waiting for another run (process %s) to finish\n", strings.TrimSpace(string(other[:n])))
		err = flock(f, syscall.LOCK_EX)
	}
	if err != nil {
		_ = f.Close()
		return hint.Errorf("make   (on a disk that can lock files)", "cannot lock %s: %v", path, err)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(fmt.Sprintln(os.Getpid())), 0) // for the message above, nothing else
	}
	if err := p.recover(); err != nil {
		_ = f.Close()
		return err
	}
	p.Held = f
	return nil
}

// Unlock lets the next run in.
func (p *Project) Unlock() { _ = p.Held.Close() }

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
