package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// killer puts a git into the PATH that kills whoever called it, with no chance to clean up: at its nth call, before or after the
// real git has done its work. Half the time the git itself lives on for a while, as it may after a real kill.
func (c *checkout) killer(n int, after bool) {
	count := filepath.Join(c.tmp, "calls")
	_ = os.Remove(count)
	kill := "kill -KILL $PPID; sleep 0.05; "
	work := "'" + realGit + `' "$@"; status=$?; `
	body := kill + work
	if after {
		body = work + kill
	}
	c.script("git", fmt.Sprintf(`echo >> '%s'
if [ "$(wc -l < '%s')" -eq %d ]; then %s exit $status; fi
exec '%s' "$@"`, count, count, n, body, realGit))
}

// outcome is what may be seen of a checkout: the patches, the tree's files and its commits.
func outcome(c *checkout) string {
	c.t.Helper()
	var b strings.Builder
	for _, dir := range []string{"patches", "upstream/sarama"} {
		if _, err := os.Stat(c.path(dir)); err != nil {
			continue
		}
		for name, sum := range snapshot(c.t, c.path(dir)) {
			if !strings.HasPrefix(name, ".git") {
				b.WriteString(dir + "/" + name + " " + sum + "\n")
			}
		}
	}
	lines := strings.Split(b.String(), "\n")
	slices.Sort(lines)
	out := strings.Join(lines, "\n")
	if _, err := os.Stat(c.path("upstream/sarama")); err == nil {
		out += c.git("log", "--format=%T %s") + c.git("status", "--short")
	}
	return out
}

// Whenever apply is killed, there is the old tree or the new one, and the next apply does its work as if nothing had been.
func TestApplyKilled(t *testing.T) {
	for _, from := range []string{"no tree", "another tree"} {
		t.Run("from "+from, func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t, "apply-clean")
			if from == "another tree" {
				patches := c.path("patches")
				must(t, os.Rename(patches, c.path("kept")))
				c.write("patches/series", "")
				c.ok("apply")
				must(t, os.RemoveAll(patches))
				must(t, os.Rename(c.path("kept"), patches))
			}
			killedEverywhere(t, c, "apply")
		})
	}
}

// The same holds for export and its patches.
func TestExportKilled(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	c.ok("apply")
	c.git("-c", "sequence.editor=sed -i 1d", "rebase", "-q", "-i", "upstream/"+fakeBase)
	killedEverywhere(t, c, "export")
}

// killedEverywhere runs a verb again and again, killing it one call of git later each time, until it gets through.
func killedEverywhere(t *testing.T, c *checkout, verb string) {
	t.Helper()
	saved := filepath.Join(c.tmp, "saved")
	must(t, exec.Command("cp", "-a", c.root, saved).Run())
	was := outcome(c)
	c.ok(verb)
	will := outcome(c)
	if was == will {
		t.Fatal("the verb does nothing here")
	}
	for n := 1; ; n++ {
		for _, after := range []bool{false, true} {
			must(t, os.RemoveAll(c.root))
			must(t, exec.Command("cp", "-a", saved, c.root).Run())
			c.killer(n, after)
			_, err := c.run(verb)
			must(t, os.Remove(filepath.Join(c.tmp, "bin", "git")))
			if err == nil {
				if n < 10 {
					t.Fatalf("only %d calls of git: was it ever killed?", n-1)
				}
				return
			}
			if is := outcome(c); is != was && is != will {
				t.Fatalf("killed at call %d: neither old nor new:\n%s", n, is)
			}
			if out, err := c.run(verb); err != nil {
				t.Fatalf("after being killed at call %d: %v\n%s", n, err, out)
			}
			if is := outcome(c); is != will {
				t.Fatalf("after being killed at call %d the next run gives something else:\n%s", n, is)
			}
			for _, dir := range []string{".", "upstream"} {
				entries, err := os.ReadDir(c.path(dir))
				must(t, err)
				for _, e := range entries {
					if strings.HasPrefix(e.Name(), ".") && e.Name() != ".lock" {
						t.Fatalf("killed at call %d: %s is left", n, e.Name())
					}
				}
			}
		}
	}
}

// What a system without an exchange of names leaves between its two renames.
func TestKilledBetweenRenames(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	c.ok("apply")
	want := outcome(c)
	must(t, os.Rename(c.path("upstream/sarama"), c.path("upstream/.sarama.old")))
	must(t, os.Rename(c.path("patches"), c.path(".patches.old")))
	must(t, os.MkdirAll(c.path("upstream/.sarama.new-123/.git"), 0o755))
	c.write(".other.old", "not ours")
	if out := c.ok("apply"); !strings.Contains(out, "up to date") {
		t.Errorf("the tree was made anew:\n%s", out)
	}
	if outcome(c) != want {
		t.Error("something was lost")
	}
	if c.read(".other.old") != "not ours" {
		t.Error("a file that is not ours was touched")
	}
}

// Two at once: one waits for the other.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			args := []string{"apply"}
			if i%2 == 1 {
				args = append(args, "--force")
			}
			if out, err := c.run(args...); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
	wg.Wait()
	if out := c.ok("export"); !strings.Contains(out, "up to date") {
		t.Error(out)
	}
}

// The next run waits for a git that a killed run has left at work in its folder.
func TestOrphanedGitHoldsTheLock(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	done := filepath.Join(c.tmp, "done")
	c.script("git", fmt.Sprintf(`case "$*" in *" am "*)
	if [ ! -e '%s.begun' ]; then : > '%s.begun'; kill -KILL $PPID; sleep 1; : > '%s'; exit 1; fi;;
esac
exec '%s' "$@"`, done, done, done, realGit))
	if _, err := c.run("apply"); err == nil {
		t.Fatal("it was not killed")
	}
	out := c.ok("apply")
	if _, err := os.Stat(done); err != nil || !strings.Contains(out, "waiting for another run") {
		t.Errorf("it did not wait: %v\n%s", err, out)
	}
}

// A tree that is up to date is not made again: its files keep their times.
func TestNothingToDo(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	c.ok("build")
	before, err := os.Stat(c.path("upstream/sarama/queue.go"))
	must(t, err)
	out := c.ok("build")
	after, err := os.Stat(c.path("upstream/sarama/queue.go"))
	must(t, err)
	if !os.SameFile(before, after) || !strings.Contains(out, "up to date") {
		t.Errorf("made again:\n%s", out)
	}
	c.git("commit", "-q", "--amend", "--no-edit") // another id, the same patch
	if out := c.ok("build"); strings.Contains(out, "up to date") {
		t.Error("a tree with other commits than apply makes passed as up to date")
	}
}

// A file that upstream's .gitignore names is not part of the tree, and no part of its sum.
func TestSumIgnoresIgnoredFiles(t *testing.T) {
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	sum := func() string {
		out, err := c.command("tool", "build").Output() // results alone
		must(t, err)
		return string(out)
	}
	before := sum()
	c.write("upstream/sarama/build/left.go", "package left\n")
	c.write("upstream/sarama/left.o", "object")
	if after := sum(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// make and scripts/run, as they are, in a folder with a space in its name; only "go run" is cut short.
func TestMake(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	t.Parallel()
	c := newCheckout(t, "apply-clean")
	for _, name := range []string{"../Makefile", "run"} {
		data, err := os.ReadFile(name)
		must(t, err)
		to := c.path(strings.TrimPrefix(filepath.Join("scripts", name), "../"))
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		must(t, os.WriteFile(to, data, 0o755))
	}
	list := "exit 0" // what the tool is made of is there
	fakeGo := func(version string) {
		c.script("go", `case "$1 $2" in
"run -C") cd "$3" && shift 4 && exec "`+filepath.Join(c.tmp, "bin", "tool")+`" "$@";;
"env GOVERSION") echo `+version+`;;
"list -C") `+list+`;;
*) exec `+realGo+` "$@";;
esac`)
	}
	run := func(args ...string) (string, error) {
		out, err := c.command("make", args...).CombinedOutput()
		return string(out), err
	}
	fakeGo("go1.26.8")
	out, err := run()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	replace := fmt.Sprintf("\nreplace %s => %q\n", fakePath, c.path("upstream/sarama"))
	if !strings.Contains(out, replace) || !strings.Contains(out, "\nh1:") {
		t.Errorf("no sum or no line %q:\n%s", replace, out)
	}
	// A program with the printed line in its go.mod compiles against the patched tree.
	c.write("user/go.mod", "module user\n\ngo 1.21\n\nrequire "+fakePath+" "+fakeBase+"\n"+replace)
	c.write("user/main.go", "package main\n\nimport \""+fakePath+"\"\n\nfunc main() { println((&queue.Queue{}).Push(1)) }\n")
	cmd := c.command(realGo, "build", "-mod=readonly", "-o", os.DevNull, ".")
	cmd.Dir = c.path("user")
	cmd.Env = append(cmd.Env, "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("a user's program does not compile: %v\n%s", err, out)
	}
	for _, verb := range []string{"help", "fetch", "apply", "export", "apply FORCE=1", "build RELEASE=v1.1.0", "fetch RELEASE=v1.0.0"} {
		if out, err := run(strings.Fields(verb)...); err != nil {
			t.Errorf("make %s: %v\n%s", verb, err, out)
		}
	}
	for version, ok := range map[string]bool{"go1.26": true, "go1.27rc1": true, "'devel go1.28-abcdef linux/amd64'": true, "go1.25.9": false, "go1.9": false, "nonsense": false} {
		fakeGo(version)
		out, err := run("fetch")
		if (err == nil) != ok || !ok && !strings.Contains(out, "too old: Go 1.26 or newer is needed\nnext: ") {
			t.Errorf("%s: %v\n%s", version, err, out)
		}
	}
	// The tool's own tests are found from the folder that scripts/run goes to.
	fakeGo("go1.26.8")
	c.write("scripts/go.mod", "module scripts\n\ngo 1.21\n")
	c.write("scripts/s_test.go", "package s\n\nimport \"testing\"\n\nfunc TestS(t *testing.T) {}\n")
	if out, err := run("test-tool"); err != nil || !strings.Contains(out, "\n3 passed, 0 failed, 0 skipped\n") {
		t.Errorf("%v\n%s", err, out)
	}
	list = "exit 1"
	fakeGo("go1.26.8")
	if out, err := run("fetch"); err == nil || !strings.Contains(out, "cannot be downloaded; see above\nnext: make ") {
		t.Errorf("%v\n%s", err, out)
	}
	must(t, os.Remove(filepath.Join(c.tmp, "bin", "go")))
	for _, name := range []string{"sh", "make", "dirname"} {
		path, err := exec.LookPath(name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(c.tmp, "bin", name)))
	}
	c.env = append(c.env, "PATH="+filepath.Join(c.tmp, "bin"))
	if out, err := run("fetch"); err == nil || !strings.Contains(out, "go is not installed or not in PATH\nnext: ") {
		t.Errorf("%v\n%s", err, out)
	}
}
