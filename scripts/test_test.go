package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The counts come from what go test -json says of a module with a test of each kind.
func TestCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"go.mod":             "module counted\n\ngo 1.21\n",
		"a/a_test.go":        "package a\n\nimport \"testing\"\n\nfunc TestOK(t *testing.T) { t.Run(\"sub\", func(*testing.T) {}) }\n\nfunc TestSkipped(t *testing.T) { t.Skip() }\n\nfunc TestSays(t *testing.T) { t.Log(`{\"Action\":\"pass\",\"Test\":\"No\"}`) }\n",
		"b/b_test.go":        "package b\n\nimport \"testing\"\n\nfunc TestBad(t *testing.T) { t.Error(\"wrong\") }\n",
		"c/c_test.go":        "package c\n\nfunc x() { y() }\n",
		"d/d_test.go":        "package d\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(3) }\n",
		"e/testdata/x.go":    "not Go",
		"e/e.go":             "package e\n",
		"f/f_test.go":        "package f\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) { panic(1) }\n",
		"g/gg/gg_test.go":    "package gg\n\nimport \"testing\"\n\nfunc TestRace(t *testing.T) {\n\tx, done := 0, make(chan bool)\n\tgo func() { x++; close(done) }()\n\tx++\n\t<-done\n\t_ = x\n}\n",
		"h/nested/go.mod":    "module nested\n",
		"h/nested/n_test.go": "package n\n\nsyntax error\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644))
	}
	var c count
	must(t, c.suite(dir, nil))
	if c.passed != 3 || c.skipped != 1 { // TestOK, its sub, TestSays
		t.Errorf("%d passed, %d skipped", c.passed, c.skipped)
	}
	want := []string{"go vet in " + dir, "counted/b TestBad", "counted/c", "counted/d", "counted/f TestPanics"}
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err == nil && string(out) == "1\n" { // tested with -race
		want = append(want, "counted/g/gg TestRace")
	}
	slices.Sort(c.failures)
	slices.Sort(want)
	if !slices.Equal(c.failures, want) {
		t.Errorf("failed:\n%s\nwant:\n%s", strings.Join(c.failures, "\n"), strings.Join(want, "\n"))
	}
}

// A test that is known to fail now and then is skipped, with its subtests or as one of them, and nothing beside it is.
func TestUnstableTestsAreSkipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module unstable\n\ngo 1.21\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "u_test.go"), []byte(`package u

import "testing"

func TestFlaky(t *testing.T)  { t.Error("flaky") }
func TestFlaky2(t *testing.T) {}
func TestHalf(t *testing.T) {
	t.Run("bad one", func(t *testing.T) { t.Error("flaky") })
	t.Run("bad one too", func(*testing.T) {})
}
func TestHalf2(t *testing.T) { t.Run("not a bad one", func(*testing.T) {}) }
`), 0o644))
	var c count
	must(t, c.suite(dir, []string{"TestFlaky", "TestHalf/bad_one"}))
	if c.passed != 6 || c.skipped != 2 || len(c.failures) != 0 { // vet, TestFlaky2, TestHalf, its second half, TestHalf2 and its part
		t.Errorf("%d passed, %d skipped, failed: %v", c.passed, c.skipped, c.failures)
	}
}

// The whole verb, on a checkout that has a good test, a bad one and a file that gofmt would change.
func TestVerbTest(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	c.write("scripts/go.mod", "module scripts\n\ngo 1.21\n")
	c.write("scripts/s_test.go", "package s\n\nimport \"testing\"\n\nfunc TestS(t *testing.T) {}\n")
	c.ok("test", "tool")
	if _, err := os.Stat(c.path("upstream/sarama")); err == nil {
		t.Error("testing the tool made the tree")
	}
	c.write("go.mod", "module root\n\ngo 1.21\n")
	c.write("test/x/go.mod", "module x\n\ngo 1.21\n")
	c.write("test/x/x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n")
	c.write("test/y/y_test.go", "package y\n\nimport \"testing\"\n\nfunc TestY(t *testing.T) {}\n")
	c.write("test/x/testdata/x.go", "package   x\n") // not ours to format
	out := c.ok("test", "cases")                     // makes the tree
	if !strings.HasSuffix(out, "\n6 passed, 0 failed, 0 skipped\n") {
		t.Error(out)
	}
	c.write("upstream/sarama/mine_test.go", "package queue\n\nimport \"testing\"\n\nfunc TestMine(t *testing.T)  {}\n")
	c.git("add", "-A")
	out, err := c.run("test", "upstream") // tests a tree that is being edited as it is
	if err == nil || !strings.Contains(out, "testing the tree as it is: upstream/sarama has changes") ||
		!strings.Contains(out, "FAILED gofmt in upstream/sarama: mine_test.go\n") || !strings.Contains(out, "\n2 passed, 1 failed, 0 skipped\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
