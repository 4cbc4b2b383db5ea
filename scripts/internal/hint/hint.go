// Package hint holds the one kind of error people see: what is wrong, then what to type next.
package hint

import (
	"errors"
	"fmt"
	"strings"
)

type hinted struct {
	err  error
	next []string
}

func (h *hinted) Error() string { return h.err.Error() + "\n" + nextLines(h.next) }
func (h *hinted) Unwrap() error { return h.err }

// Errorf makes an error that ends with next, one command a line. What an error among args says to type next is left out.
func Errorf(next, format string, args ...any) error {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = errors.New(Text(err))
		}
	}
	return &hinted{err: fmt.Errorf(format, args...), next: strings.Split(next, "\n")}
}

// Or gives err the next command, unless it has one already: the place nearest to the trouble knows best.
func Or(err error, next string) error {
	if err == nil || errors.As(err, new(*hinted)) {
		return err
	}
	return &hinted{err: err, next: strings.Split(next, "\n")}
}

func nextLines(next []string) string {
	return "next: " + strings.Join(next, "\n  or: ")
}

// Text is the error without the next command, for an error that wraps it and knows better.
func Text(err error) string {
	h := (*hinted)(nil)
	if !errors.As(err, &h) {
		return err.Error()
	}
	return strings.Replace(err.Error(), "\n"+nextLines(h.next), "", 1)
}
