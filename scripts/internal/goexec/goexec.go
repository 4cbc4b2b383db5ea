// Package goexec runs the go command so that the user's settings do not change what it does.
package goexec

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"sarama-fanout/scripts/internal/hint"
)

// Environ is the environment for go. The proxy, the cache and the checksum database stay the user's.
func Environ(dir string) []string {
	env := os.Environ()
	if dir != "" {
		env = append(env, "PWD="+dir) // or go would take a symbolic link's name for another folder
	}
	return append(env,
		// -mod=vendor or -mod=mod would break every call. A GOFLAGS that is empty would let one from "go env -w" through.
		"GOFLAGS=-buildvcs=false",
		"GOWORK=off", "GO111MODULE=on",
		// Never download another Go behind the user's back.
		"GOTOOLCHAIN=local")
}

// Output gives go's standard output.
func Output(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, Environ(dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); errors.Is(err, exec.ErrNotFound) {
		return "", hint.Errorf("go version   (after installing Go)", "go is not installed or not in PATH")
	} else if err != nil {
		return stdout.String(), fmt.Errorf("go %s: %w\n%s", strings.Join(args[:min(2, len(args))], " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
