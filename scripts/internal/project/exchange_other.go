//go:build !linux

package project

import (
	"errors"
	"os"
)

// exchange is not to be had here; a missing b must still be told apart, as the caller then renames.
func exchange(_, b string) error {
	if _, err := os.Lstat(b); err != nil {
		return err
	}
	return errors.ErrUnsupported
}
