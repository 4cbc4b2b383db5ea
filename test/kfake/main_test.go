package kfake

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets the tests wait side by side: they do little else.
func TestMain(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", "16")
	}
	os.Exit(m.Run())
}
