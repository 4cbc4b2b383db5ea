package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// The tests run the real tool on a tiny fake upstream, which a folder serves as a module proxy would.

const (
	fakePath = "example.invalid/Fake/queue" // a capital letter, since the module cache escapes those
	fakeBase = "v1.1.0"
)

var (
	fakeDir  string // testdata's upstream as a module proxy
	cacheDir string // one module cache for all tests but those that damage theirs
	fakePins string // what upstream/go.sum holds
	tool     string // the binary; without the race detector, which makes it start slowly and has nothing to watch in it
	realGit  string
	realGo   string
)

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	tmp, err := os.MkdirTemp("", "sarama-fanout-test-")
	if err != nil {
		panic(err)
	}
	defer removeCache(tmp)
	fakeDir, cacheDir = filepath.Join(tmp, "proxy"), filepath.Join(tmp, "cache")
	for _, name := range []string{"git", "go"} {
		path, err := exec.LookPath(name)
		if err != nil {
			panic(err)
		}
		if name == "git" {
			realGit = path
		} else {
			realGo = path
		}
	}
	tool = filepath.Join(tmp, "tool")
	if out, err := exec.Command(realGo, "build", "-o", tool, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	for _, v := range []string{"v1.0.0", fakeBase} {
		if err := serve(v); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// removeCache removes a folder that may hold a module cache, whose folders are read-only.
func removeCache(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// serve puts a release of the fake upstream into the proxy and its pins into fakePins.
func serve(version string) error {
	mod := module.Version{Path: fakePath, Version: version}
	src := filepath.Join("testdata", "upstream", version)
	tree, err := os.MkdirTemp("", "sarama-fanout-fake-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tree) }()
	// Files like .gitattributes would act on this repository too if they had their real names.
	if err := copyTree(src, tree, func(s string) string { return strings.ReplaceAll(s, "dot-", ".") }); err != nil {
		return err
	}
	escaped, err := module.EscapePath(fakePath)
	if err != nil {
		return err
	}
	at := filepath.Join(fakeDir, escaped, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	var zip bytes.Buffer
	if err := modzip.CreateFromDir(&zip, mod, tree); err != nil {
		return err
	}
	goMod, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		return err
	}
	for ext, data := range map[string][]byte{
		".zip":  zip.Bytes(),
		".mod":  goMod,
		".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-02-03T04:05:06Z"}`, version),
	} {
		if err := os.WriteFile(filepath.Join(at, version+ext), data, 0o644); err != nil {
			return err
		}
	}
	sum, err := dirhash.HashZip(filepath.Join(at, version+".zip"), dirhash.Hash1)
	if err != nil {
		return err
	}
	goModSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(goMod)), nil
	})
	if err != nil {
		return err
	}
	fakePins += fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", fakePath, version, sum, fakePath, version, goModSum)
	return nil
}

// copyTree copies the files below src, with their paths changed by rename.
func copyTree(src, dst string, rename func(string) string) error {
	return filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rename(rel))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

func same(s string) string { return s }

// checkout is a project in a folder of its own, with the fake upstream's pins.
type checkout struct {
	t    *testing.T
	tmp  string // holds root, bin and home
	root string
	env  []string // comes last, so it wins
}

// newCheckout makes a project whose patches are those of a golden case. There is a space in its path, as there may always be.
func newCheckout(t *testing.T, like string) *checkout {
	t.Helper()
	tmp := t.TempDir()
	c := &checkout{t: t, tmp: tmp, root: filepath.Join(tmp, "a folder")}
	for _, dir := range []string{"bin", "home"} {
		must(t, os.Mkdir(filepath.Join(tmp, dir), 0o755))
	}
	c.write("upstream/releases", "# newest first\n\n"+fakeBase+"\nv1.0.0\n")
	c.write("upstream/unstable", "# none\n")
	c.write("upstream/go.mod", "module fake\n")
	c.write("upstream/go.sum", fakePins)
	if like != "" {
		must(t, copyTree(filepath.Join("testdata", "cases", like, "before"), c.root, same))
	}
	must(t, os.Symlink(tool, filepath.Join(tmp, "bin", "tool")))
	c.env = []string{
		"PATH=" + filepath.Join(tmp, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + filepath.Join(tmp, "home"), "GOCACHE=" + goCache(),
		"GOPROXY=file://" + fakeDir, "GOMODCACHE=" + cacheDir, "GOSUMDB=off", "GOFLAGS=-mod=vendor -toolexec=false", "GOWORK=nowhere",
	}
	return c
}

var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

// script puts a command into the checkout's PATH.
func (c *checkout) script(name, body string) {
	c.t.Helper()
	must(c.t, os.WriteFile(filepath.Join(c.tmp, "bin", name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
}

func (c *checkout) path(name string) string { return filepath.Join(c.root, filepath.FromSlash(name)) }

func (c *checkout) write(name, data string) {
	c.t.Helper()
	must(c.t, os.MkdirAll(filepath.Dir(c.path(name)), 0o755))
	must(c.t, os.WriteFile(c.path(name), []byte(data), 0o644))
}

func (c *checkout) read(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(c.path(name))
	must(c.t, err)
	return string(data)
}

// command is a command in the checkout's root.
func (c *checkout) command(name string, args ...string) *exec.Cmd {
	path := filepath.Join(c.tmp, "bin", name) // exec looks names up in this process's PATH, not in c.env's
	if _, err := os.Stat(path); err != nil {
		path = name
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), c.env...)
	return cmd
}

// run gives what the tool printed on both outputs.
func (c *checkout) run(args ...string) (string, error) {
	out, err := c.command("tool", args...).CombinedOutput()
	return string(out), err
}

// ok runs the tool, which must succeed.
func (c *checkout) ok(args ...string) string {
	c.t.Helper()
	out, err := c.run(args...)
	if err != nil {
		c.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return out
}

// git runs git in the patched tree as a maintainer would.
func (c *checkout) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command(realGit, args...)
	cmd.Dir = c.path("upstream/sarama")
	cmd.Env = append(os.Environ(), maintainer...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// maintainer is the environment of a person at work in the tree.
var maintainer = []string{
	"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=:", "LC_ALL=C", "TZ=UTC",
	"GIT_AUTHOR_NAME=A Maintainer", "GIT_AUTHOR_EMAIL=maintainer@example.invalid", "GIT_AUTHOR_DATE=2026-05-06T07:08:09+02:00",
	"GIT_COMMITTER_NAME=A Maintainer", "GIT_COMMITTER_EMAIL=maintainer@example.invalid", "GIT_COMMITTER_DATE=2026-05-06T07:08:09+02:00",
}

// snapshot is a hash of each file and the names of all folders below dir, but for the lock and what git rewrites on reading.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path, dir+"/")
		switch {
		case path == dir:
		case name == "upstream/.lock" || strings.HasSuffix(name, ".git/index"):
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			files[name] = fmt.Sprintf("%x", sha256.Sum256(data))
			return err
		default:
			files[name] = d.Type().String()
		}
		return nil
	}))
	return files
}

// unchanged says what differs between two snapshots.
func unchanged(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name := range before {
		if after[name] != before[name] {
			t.Errorf("%s was changed or removed", name)
		}
	}
	for name := range after {
		if before[name] == "" {
			t.Errorf("%s was added", name)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
