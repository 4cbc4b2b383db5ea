package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sarama-fanout/scripts/internal/goexec"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/project"
	"sarama-fanout/scripts/internal/tree"
)

// suites are the modules that hold tests, by the name under which one runs them.
var suites = map[string][]string{
	"tool":     {"scripts"},
	"upstream": {"upstream/sarama"},
	"cases":    {".", "test/*"}, // the root module and those nested in test/
}

func testCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "test [tool|upstream|cases]",
		Short:     "Format, vet and test with the race detector; count the tests",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"tool", "upstream", "cases"},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := open()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = cmd.ValidArgs
			}
			return test(p, args)
		},
	}
}

func test(p *project.Project, names []string) (err error) {
	if err := os.Chdir(p.Root); err != nil { // suites are relative to it
		return err
	}
	t := tree.Tree{}
	if !slices.Equal(names, []string{"tool"}) { // the tool's tests need no tree, and may be why there is none
		if t, err = testedTree(p); err != nil {
			return err
		}
	}
	var c count
	for _, name := range names {
		for _, pattern := range suites[name] {
			mods, err := filepath.Glob(filepath.Join(pattern, "go.mod")) // relative: the path of the root may hold a * itself
			if err != nil {
				return err
			}
			if len(mods) == 0 {
				return hint.Errorf("git status", "there is no module at %s to test", pattern)
			}
			for _, mod := range mods {
				dir := filepath.Dir(mod)
				say("== %s", dir)
				c.format(p, dir, t)
				var skip []string
				if dir == t.Name {
					if skip, err = unstable(p); err != nil {
						return err
					}
				}
				if err := c.suite(filepath.Join(p.Root, dir), skip); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range c.failures {
		fmt.Println("FAILED", f)
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", c.passed, len(c.failures), c.skipped)
	if len(c.failures) > 0 {
		return hint.Errorf("go test -race -run NAME in the folder named above", "tests failed")
	}
	return nil
}

// testedTree makes the tree if there is none. One that is being edited is tested as it is: testing comes before exporting.
func testedTree(p *project.Project) (tree.Tree, error) {
	if err := p.Lock(); err != nil {
		return tree.Tree{}, err
	}
	defer p.Unlock()
	t, _, err := apply(p, "", applyFlags{})
	if err != nil && treeOf(p, p.Base()).Exists() {
		say("testing the tree as it is: %s", hint.Text(err))
		t, err = treeOf(p, p.Base()), nil
	}
	t.Lock = nil
	return t, err
}

type count struct {
	passed, skipped int
	failures        []string
}

// format counts gofmt as one test of the files that are ours.
func (c *count) format(p *project.Project, dir string, t tree.Tree) {
	args := []string{"-l"}
	switch dir {
	case ".":
		args = append(args, "test") // not the trees below the root
	case t.Name:
		files, err := t.Touched()
		if err != nil {
			c.failures = append(c.failures, err.Error())
			return
		}
		for _, f := range files {
			if strings.HasSuffix(f, ".go") {
				args = append(args, f)
			}
		}
		if len(args) == 1 {
			return // gofmt would read standard input
		}
	default:
		args = append(args, ".")
	}
	root, err := goexec.Output(p.Root, "env", "GOROOT") // not every PATH with go in it has gofmt too
	if err != nil {
		c.failures = append(c.failures, err.Error())
		return
	}
	cmd := exec.Command(filepath.Join(strings.TrimSpace(root), "bin", "gofmt"), args...)
	cmd.Dir = filepath.Join(p.Root, dir)
	out, err := cmd.CombinedOutput()
	bad := slices.DeleteFunc(slices.Collect(strings.Lines(string(out))), func(l string) bool { return strings.Contains(l, "testdata/") })
	if len(bad) > 0 || err != nil {
		c.failures = append(c.failures, fmt.Sprintf("gofmt in %s: %s", dir, strings.Join(strings.Fields(strings.Join(bad, " ")), " ")))
		return
	}
	c.passed++
}

// event is a line of go test -json.
type event struct{ Action, Package, ImportPath, Test, Output string }

// unstable returns the tests of upstream that fail now and then on the release as it is: they say nothing of the series.
func unstable(p *project.Project) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(p.Root, "upstream", "unstable"))
	if err != nil {
		return nil, hint.Errorf("git checkout -- upstream/unstable", "%v", err)
	}
	var tests []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			tests = append(tests, line)
		}
	}
	return tests, nil
}

// suite vets and tests the module in dir, but for the tests to skip.
func (c *count) suite(dir string, skip []string) error {
	if _, err := goexec.Output(dir, "vet", "./..."); err != nil {
		fmt.Println(err)
		c.failures = append(c.failures, "go vet in "+dir)
	} else {
		c.passed++
	}
	args := []string{"test", "-json", "-timeout=20m", "./..."}
	if out, err := goexec.Output(dir, "env", "CGO_ENABLED"); err == nil && strings.TrimSpace(out) == "1" {
		args = append(args, "-race")
	} else {
		say("no C compiler: testing without the race detector")
	}
	if len(skip) > 0 {
		// go splits the pattern at each slash
		args = append(args, "-skip=^"+strings.ReplaceAll(strings.Join(skip, "$|^"), "/", "$/^")+"$")
		for _, test := range skip {
			say("skipped, as it fails now and then without the series too (upstream/unstable): %s", test)
			c.skipped++
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, goexec.Environ(dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	before := len(c.failures)
	c.read(out)
	if err := cmd.Wait(); err != nil && len(c.failures) == before {
		c.failures = append(c.failures, fmt.Sprintf("go test in %s: %v", dir, err))
	}
	return nil
}

// read counts events. What a test printed is shown only if it failed.
func (c *count) read(r io.Reader) {
	output := map[string]string{}
	failedIn := map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20) // a stack dump of all goroutines may come as one line
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text())
			continue
		}
		name := e.Package + " " + e.Test
		switch {
		case e.Action == "output" && e.Test != "":
			output[name] += e.Output
		case e.Action == "output" || e.Action == "build-output":
			if e.Output != "PASS\n" {
				fmt.Print(e.Output)
			}
		case e.Action == "fail" && e.Test != "":
			fmt.Print(output[name])
			c.failures = append(c.failures, name)
			failedIn[e.Package] = true
		case e.Action == "fail" && !failedIn[e.Package]:
			c.failures = append(c.failures, e.Package) // does not compile, or died outside of a test
		case e.Action == "pass" && e.Test != "":
			c.passed++
		case e.Action == "skip" && e.Test != "":
			c.skipped++
		}
		if e.Action != "output" {
			delete(output, name)
		}
	}
}
