package tree

import (
	"fmt"
	"strings"

	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/series"
)

// format makes a commit a patch file whose bytes depend on the commit alone. Most of these flags name a default, because
// configuration could change it.
var format = []string{
	"format-patch", "--stdout", "-1",
	"--zero-commit",   // the commit id changes with each rebase
	"--full-index",    // the length of short ids depends on the clone
	"--no-signature",  // git's version
	"--no-stat",       // as wide as a terminal, and of no use to am
	"--no-numbered",   // a new patch would rewrite all the others
	"--no-renames",    // else a heuristic decides
	"--pretty=mboxrd", // a line of the message that begins with "From " stays what it is
	"--subject-prefix=PATCH",
	"--encode-email-headers",
	"--diff-algorithm=myers", "--unified=3", "--inter-hunk-context=0", "--indent-heuristic",
	"--src-prefix=a/", "--dst-prefix=b/", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none",
	"--no-attach", "--no-thread", "--no-cover-letter", "--no-base", "--no-from", "--no-to", "--no-cc", "--no-add-header", "--no-notes",
}

// Series are the commits on top of upstream, as patches.
func (t Tree) Series() ([]series.Patch, error) {
	if _, err := t.line("rev-parse", "--verify", t.tag()+"^{commit}"); err != nil {
		return nil, hint.Errorf("make apply FORCE=1   (makes it anew, without your commits: save those first)", "%s has no tag %s", t.Name, t.tag())
	}
	if _, err := t.Run("merge-base", "--is-ancestor", t.tag(), "HEAD"); err != nil {
		return nil, hint.Errorf("git -C "+t.Name+" reflog   (to find the commit to go back to)", "%s: HEAD does not stand on %s", t.Name, t.tag())
	}
	return t.since(t.tag())
}

// since are the commits on top of base, as patches.
func (t Tree) since(base string) ([]series.Patch, error) {
	out, err := t.Run("log", "--reverse", "--topo-order", "--format=%H%x1f%P%x1f%h \"%s\"%x1f%(trailers:key=Fork-Id,valueonly,unfold,separator=%x2C)", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	rebase := "git -C " + t.Name + " rebase -i " + t.tag()
	var patches []series.Patch
	seen := map[string]string{}
	for _, line := range strings.FieldsFunc(out, func(r rune) bool { return r == '\n' }) {
		f := strings.Split(line, "\x1f")
		if len(f) != 4 {
			return nil, fmt.Errorf("cannot read git log's line %q", line)
		}
		commit, parents, what, id := f[0], f[1], f[2], strings.TrimSpace(f[3])
		data, err := t.Run(append(format, commit)...)
		switch {
		case err != nil:
			return nil, err
		case strings.Contains(parents, " "):
			return nil, hint.Errorf(rebase, "commit %s is a merge, which cannot be a patch", what)
		case strings.Contains(what, "\"fixup! ") || strings.Contains(what, "\"squash! "):
			return nil, hint.Errorf(rebase+" --autosquash", "commit %s waits to be squashed", what)
		case data == "":
			return nil, hint.Errorf(rebase+"   (and drop it)", "commit %s changes nothing", what)
		case id == "":
			return nil, hint.Errorf(rebase+"   (and reword it)", "commit %s has no trailer \"Fork-Id: NAME\", which names its patch file", what)
		case series.CheckID(id) != nil:
			return nil, hint.Errorf(rebase+"   (and reword it)", "commit %s: Fork-Id: %v", what, series.CheckID(id))
		case seen[id] != "":
			return nil, hint.Errorf(rebase+"   (and reword one)", "commits %s and %s have the same trailer \"Fork-Id: %s\"", seen[id], what, id)
		}
		seen[id] = what
		patches = append(patches, series.Patch{ID: id, Data: []byte(data)})
	}
	return patches, nil
}
