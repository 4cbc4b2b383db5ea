package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each case breaks one thing in a checkout whose tree is made, runs one verb, and looks at three things: that the error names
// what is wrong, that it ends with a command to type, and that no file has been touched.
func TestBadInput(t *testing.T) {
	release := func(s string) func(*checkout) { return func(c *checkout) { c.write("upstream/releases", s) } }
	sums := func(old, with string) func(*checkout) {
		return func(c *checkout) {
			c.write("upstream/go.sum", strings.Replace(c.read("upstream/go.sum"), old, with, 1))
		}
	}
	line := func(suffix string) string { // of the base's pins
		for l := range strings.Lines(fakePins) {
			if strings.HasPrefix(l, fakePath+" "+fakeBase+suffix+" ") {
				return l
			}
		}
		panic(suffix)
	}
	env := func(kv ...string) func(*checkout) { return func(c *checkout) { c.env = append(c.env, kv...) } }
	for _, tc := range []struct {
		name   string
		broken func(*checkout)
		verb   string
		want   string
		next   string
	}{
		{"release that nobody knows", nil, "fetch v1.0.5", `unknown release "v1.0.5": not in upstream/releases; the nearest there: v1.1.0, v1.0.0`, "make fetch RELEASE=v1.1.0"},
		{"release without v", nil, "fetch 1.0.0", "the nearest there: v1.0.0", "make fetch RELEASE=v1.0.0"},
		{"release newer than all", nil, "build v9.9.9", "the nearest there: v1.1.0", "make   (the base, v1.1.0"},
		{"release that is a word", nil, "fetch latest", "unknown release \"latest\"", "make fetch RELEASE=v1.1.0"},
		{"release with only a fetch yet", nil, "apply v1.0.0", "only the base, v1.1.0", "make"},
		{"releases out of order", release("v1.0.0\nv1.1.0\n"), "fetch", "upstream/releases:2: v1.1.0 stands below v1.0.0", "git diff upstream/releases"},
		{"releases twice the same", release("v1.1.0\nv1.1.0\n"), "fetch", "upstream/releases:2:", "git diff upstream/releases"},
		{"releases with junk", release("v1.1.0\nv1.0\n"), "fetch", `upstream/releases:2: "v1.0" is not a release`, "git diff upstream/releases"},
		{"releases empty", release("# none\n"), "fetch", "upstream/releases lists no release", "git diff upstream/releases"},
		{"releases missing", func(c *checkout) { must(c.t, os.Remove(c.path("upstream/releases"))) }, "fetch", "not in a checkout of sarama-fanout", "cd to the folder"},
		{"pins missing", func(c *checkout) { must(c.t, os.Remove(c.path("upstream/go.sum"))) }, "fetch", "cannot read the pins", "git checkout -- upstream/go.sum"},
		{"pin of the zip missing", sums(line(""), ""), "build", "no pin of v1.1.0 in upstream/go.sum", "git checkout -- upstream/go.sum"},
		{"pin of go.mod missing", sums(line("/go.mod"), ""), "build", "v1.1.0/go.mod h1:...\" is missing", "git checkout -- upstream/go.sum"},
		{"pin of the zip wrong", sums("v1.1.0 h1:", "v1.1.0 h1:AAAA"), "fetch", "v1.1.0 is not what upstream/go.sum pins", "git diff upstream/go.sum"},
		{"pin of go.mod wrong", sums("v1.1.0/go.mod h1:", "v1.1.0/go.mod h1:AAAA"), "fetch", "v1.1.0 is not what upstream/go.sum pins", "git diff upstream/go.sum"},
		{"pin twice", sums(line(""), line("")+strings.Replace(line(""), "h1:", "h1:AAAA", 1)), "fetch", "a second, different pin of v1.1.0", "git diff upstream/go.sum"},
		{"pin of another module", sums(line(""), line("")+"example.com/x v1.1.0 h1:AAAA\n"), "fetch", "a pin of example.com/x among those of " + fakePath, "git diff upstream/go.sum"},
		{"pins with a conflict", sums(line(""), "<<<<<<< HEAD\n"+line("")), "fetch", "upstream/go.sum:3: not a line of three words", "git diff upstream/go.sum"},
		{"no network, cold cache", func(c *checkout) { c.env = append(c.env, "GOPROXY=off", "GOMODCACHE="+coldCache(c)) }, "fetch", "cannot download " + fakePath + "@v1.1.0", "make fetch RELEASE=v1.1.0"},
		{"proxy away, cold cache", func(c *checkout) {
			c.env = append(c.env, "GOPROXY=http://127.0.0.1:1", "GOMODCACHE="+coldCache(c))
		}, "build", "connection refused", "make fetch RELEASE=v1.1.0"},
		{"series missing", func(c *checkout) { must(c.t, os.Remove(c.path("patches/series"))) }, "apply", "patches/series is missing", "git checkout -- patches"},
		{"patches missing", func(c *checkout) { must(c.t, os.RemoveAll(c.path("patches"))) }, "apply", "patches/series is missing", "git checkout -- patches"},
		{"patch listed twice", func(c *checkout) {
			c.write("patches/series", c.read("patches/series")+"refuse-no-limit.patch\n")
		}, "apply", "refuse-no-limit.patch is listed twice, first on line 1", "${EDITOR:-vi} patches/series"},
		{"patch without a file", func(c *checkout) { c.write("patches/series", c.read("patches/series")+"gone.patch\n") }, "apply", "patches/series:3: gone.patch is listed, but there is no such file", "git checkout -- patches/gone.patch"},
		{"patch without a line", func(c *checkout) { c.write("patches/lost.patch", "From x\n") }, "apply", "patches/lost.patch is not listed in patches/series", "echo lost.patch >> patches/series"},
		{"patch without a line, export", func(c *checkout) { c.write("patches/lost.patch", "From x\n") }, "export", "patches/lost.patch is not listed in patches/series", "echo lost.patch >> patches/series"},
		{"series with a path", func(c *checkout) { c.write("patches/series", "../x.patch\n") }, "apply", `patches/series:1: "../x.patch" is not a patch file's name`, "${EDITOR:-vi} patches/series"},
		{"series with a conflict", func(c *checkout) { c.write("patches/series", "<<<<<<< HEAD\n"+c.read("patches/series")) }, "apply", "patches/series:1:", "${EDITOR:-vi} patches/series"},
		{"tree without a repository", func(c *checkout) { must(c.t, os.RemoveAll(c.path("upstream/sarama/.git"))) }, "build", "upstream/sarama is not a repository", "make apply FORCE=1"},
		{"tree whose repository is damaged", func(c *checkout) { must(c.t, os.RemoveAll(c.path("upstream/sarama/.git/objects"))) }, "build", "upstream/sarama cannot be read", "git -C upstream/sarama status"},
		{"nothing to export", func(c *checkout) { must(c.t, os.RemoveAll(c.path("upstream/sarama"))) }, "export", "there is no upstream/sarama to export", "make apply"},
		{"verb that is none", nil, "aply", `unknown command "aply"`, "make help"},
		{"flag that is none", nil, "apply --quick", "unknown flag: --quick", "make apply"},
		{"too many words", nil, "apply v1.1.0 v1.0.0", "accepts at most 1 arg", "make apply"},
		{"git missing", func(c *checkout) { c.env = append(c.env, "PATH="+filepath.Join(c.tmp, "bin")) }, "fetch", "git is not installed", "git version"},
		{"git too old", func(c *checkout) { c.script("git", "echo git version 2.31.8") }, "apply", "git 2.31.8 is too old", "git version"},
		{"git that says nothing", func(c *checkout) { c.script("git", "") }, "apply", "cannot read git's version", "git version"},
		{"go missing", func(c *checkout) {
			c.script("git", "exec "+realGit+` "$@"`)
			c.env = append(c.env, "PATH="+filepath.Join(c.tmp, "bin"))
		}, "fetch", "go is not installed", "go version"},
		{"lock that is a folder", func(c *checkout) {
			must(c.t, os.Remove(c.path("upstream/.lock")))
			must(c.t, os.Mkdir(c.path("upstream/.lock"), 0o755))
		}, "apply", "cannot write in", "ls -ld"},
		{"place of the tree taken by a file", func(c *checkout) {
			must(c.t, os.RemoveAll(c.path("upstream/sarama")))
			c.write("upstream/sarama", "x")
		}, "apply", "upstream/sarama is not a repository", "make apply FORCE=1"},
		{"odd environment", env("GOPROXY=", "GOFLAGS=-mod=vendor -x"), "fetch v1.0.1", "unknown release", "make fetch RELEASE="},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t, "apply-clean")
			c.ok("apply")
			if tc.broken != nil {
				tc.broken(c)
			}
			fails(t, c, strings.Fields(tc.verb), tc.want, tc.next)
		})
	}
}

// fails runs the tool, which must fail as wanted and touch nothing.
func fails(t *testing.T, c *checkout, args []string, want, next string) {
	t.Helper()
	before := snapshot(t, c.root)
	out, err := c.run(args...)
	if err == nil {
		t.Fatalf("%v succeeded:\n%s", args, out)
	}
	if strings.Contains(out, "panic:") || strings.Contains(out, "DATA RACE") {
		t.Fatalf("it crashed:\n%s", out)
	}
	if !strings.Contains(out, want) {
		t.Errorf("the error does not say %q:\n%s", want, out)
	}
	at := strings.LastIndex(out, "\nnext: ")
	if at < 0 || strings.Count(out, "\nnext: ") != 1 || !strings.HasPrefix(out[at+len("\nnext: "):], next) {
		t.Errorf("the error does not end with the next command %q:\n%s", next, out)
	}
	unchanged(t, before, snapshot(t, c.root))
}

// coldCache is an empty module cache.
func coldCache(c *checkout) string {
	dir := filepath.Join(c.tmp, "cache")
	c.t.Cleanup(func() { removeCache(dir) })
	return dir
}

// Go itself notes none of these: it compares the sum it wrote down at the download.
func TestTamperedModuleCache(t *testing.T) {
	at := "example.invalid/!fake/queue"
	for _, tc := range []struct{ name, file, want string }{
		{"zip", "cache/download/" + at + "/@v/v1.1.0.zip", "the module cache"},
		{"unpacked folder", at + "@v1.1.0/queue.go", "the module cache was changed after the download"},
		{"go.mod", "cache/download/" + at + "/@v/v1.1.0.mod", "is not what upstream/go.sum pins"},
		{"time of release", "cache/download/" + at + "/@v/v1.1.0.info", "the module cache is damaged"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t, "apply-clean")
			cache := coldCache(c)
			c.env = append(c.env, "GOMODCACHE="+cache)
			c.ok("apply")
			file := filepath.Join(cache, tc.file)
			data, err := os.ReadFile(file)
			must(t, err)
			must(t, os.Chmod(file, 0o644))
			switch tc.name {
			case "time of release":
				data = []byte("{}")
			case "go.mod":
				data = append(data, "// x\n"...)
			default:
				data[len(data)/2] ^= 1
			}
			must(t, os.WriteFile(file, data, 0o644))
			for _, verb := range []string{"fetch", "build", "apply --force"} {
				out, err := c.run(strings.Fields(verb)...)
				if err == nil || !strings.Contains(out, tc.want) || !strings.Contains(out, filepath.Dir(tc.file)) {
					t.Errorf("%s does not name the file: %v\n%s", verb, err, out)
				}
			}
			// The command that the error tells to type helps.
			out, _ := c.run("fetch")
			next := regexp.MustCompile(`(?m)^ *(?:next|or): (.*rm -.*); make fetch RELEASE=v1\.1\.0`).FindStringSubmatch(out)
			if next == nil {
				t.Fatalf("no command to repair the cache:\n%s", out)
			}
			if out, err := c.command("sh", "-c", next[1]).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", next, err, out)
			}
			c.ok("build")
		})
	}
}

// Even with a cache that was tampered with, nothing but what is pinned may get into the tree.
func TestOtherContentFromProxy(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	proxy := filepath.Join(c.tmp, "proxy")
	must(t, copyTree(fakeDir, proxy, func(s string) string { return strings.ReplaceAll(s, "v1.0.0.zip", "v1.0.0.gone") }))
	at := filepath.Join(proxy, "example.invalid/!fake/queue/@v")
	other, err := os.ReadFile(filepath.Join(at, "v1.0.0.gone"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(at, "v1.1.0.zip"), other, 0o644))
	c.env = append(c.env, "GOPROXY=file://"+proxy, "GOMODCACHE="+coldCache(c))
	if out, err := c.run("build"); err == nil || !strings.Contains(out, "\nnext: ") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(c.path("upstream/sarama")); err == nil {
		t.Error("a tree was made")
	}
}

// Root may write everywhere, unless the file system itself is told to let nobody in.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ dir, verb, want string }{
		{"upstream", "apply --force", "cannot write in"},
		{".", "export", "permitted"},
	} {
		c := newCheckout(t, "apply-clean")
		c.ok("apply")
		c.git("-c", "sequence.editor=sed -i 1d", "rebase", "-q", "-i", "upstream/"+fakeBase)
		must(t, os.Remove(c.path("upstream/.lock")))
		dir := c.path(tc.dir)
		if os.Getuid() == 0 {
			if out, err := exec.Command("chattr", "+i", dir).CombinedOutput(); err != nil {
				t.Skipf("running as root, and chattr does not work here: %v %s", err, out)
			}
			t.Cleanup(func() { _ = exec.Command("chattr", "-i", dir).Run() })
		} else {
			tc.want = "permission denied"
			must(t, os.Chmod(dir, 0o555))
			t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
		}
		fails(t, c, strings.Fields(tc.verb), tc.want, "")
	}
}

// A limit on the size of files stands in for a full disk: it works for root, too, and for git as for the tool.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	c.ok("apply")
	c.write("patches/series", "refuse-no-limit.patch\n")
	must(t, os.Remove(c.path("patches/say-what-len-returns.patch")))
	before := snapshot(t, c.root)
	out, err := c.command("sh", "-c", "ulimit -f 0 && exec tool apply").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "\nnext: ") {
		t.Errorf("%v\n%s", err, out)
	}
	unchanged(t, before, snapshot(t, c.root))
	c.ok("apply")
}
