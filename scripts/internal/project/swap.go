package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Folders are made under a hidden name beside their place and renamed into it, so that a killed run leaves either the old
// folder or the new one, whole. Names that begin with a dot are skipped by ./... and ignored by this repository's git.

// Temp makes the folder in which dst is built.
func Temp(dst string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dst), "."+filepath.Base(dst)+".new-")
	if err != nil {
		return "", err
	}
	return tmp, os.Chmod(tmp, 0o755) // MkdirTemp's 0700 would keep other users out of the result
}

// Swap puts the finished folder src in the place of dst and removes what was there.
func Swap(src, dst string) error {
	switch err := exchange(src, dst); {
	case err == nil:
		return os.RemoveAll(src)
	case errors.Is(err, os.ErrNotExist):
		return os.Rename(src, dst)
	}
	return replace(src, dst)
}

// replace is for systems without an exchange: between its two renames dst is gone for an instant. recover puts it back.
func replace(src, dst string) error {
	old := oldName(dst)
	if err := os.Rename(dst, old); err != nil {
		return err
	}
	if err := os.Rename(src, dst); err != nil {
		return errors.Join(err, os.Rename(old, dst))
	}
	return os.RemoveAll(old)
}

func oldName(dst string) string {
	return filepath.Join(filepath.Dir(dst), "."+filepath.Base(dst)+".old")
}

// recover undoes what a killed run left; only the holder of the lock may call it.
func (p *Project) recover() error {
	places := []string{p.Patches()}
	for _, r := range p.Releases {
		places = append(places, p.Tree(r))
	}
	for _, dst := range places {
		if _, err := os.Lstat(dst); os.IsNotExist(err) {
			if err := os.Rename(oldName(dst), dst); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		entries, _ := os.ReadDir(filepath.Dir(dst)) // most folders are not there, which is as good as empty
		for _, e := range entries {
			path := filepath.Join(filepath.Dir(dst), e.Name())
			if path == oldName(dst) || strings.HasPrefix(e.Name(), "."+filepath.Base(dst)+".new-") {
				fmt.Fprintf(os.Stderr, "removing %s, left by a run that was killed\n", p.Rel(path))
				if err := os.RemoveAll(path); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
