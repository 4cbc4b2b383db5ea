// Package tree makes and reads patched trees. A tree is also the git repository in which a maintainer works: upstream is one
// commit with a tag, each patch is one commit on top, and the branch is checked out.
package tree

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sarama-fanout/scripts/internal/git"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/series"
)

// Tree is the tree of one release. Name is what messages call its folder.
type Tree struct {
	git.Repo
	Name, Release string
}

func (t Tree) tag() string    { return "upstream/" + t.Release }
func (t Tree) branch() string { return "patched/" + t.Release }

// line runs a git command that answers with one line.
func (t Tree) line(args ...string) (string, error) {
	out, err := t.Run(args...)
	return strings.TrimSpace(out), err
}

// Head is the commit that is checked out.
func (t Tree) Head() (string, error) { return t.line("rev-parse", "--verify", "HEAD^{commit}") }

// ID is the id of HEAD's tree: equal ids mean equal files, whoever committed them and when.
func (t Tree) ID() (string, error) { return t.line("rev-parse", "--verify", "HEAD^{tree}") }

// Files are the names under version control.
func (t Tree) Files() ([]string, error) {
	out, err := t.Run("ls-files", "-z")
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), err
}

// Touched are the names of the files that the patches add or change.
func (t Tree) Touched() ([]string, error) {
	out, err := t.Run("diff", "--name-only", "-z", "--no-renames", "--diff-filter=d", t.tag())
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), err
}

// Exists says whether there is anything in the tree's place.
func (t Tree) Exists() bool {
	entries, err := os.ReadDir(t.Dir)
	return len(entries) > 0 || err != nil && !os.IsNotExist(err)
}

// State says how tree and patches last agreed: it is written when one has been made from the other.
type State struct {
	Input   string // hash of all that the tree is made from
	Patches string // hash of the patches alone
	Head    string
}

// The state lies inside the repository, so that it comes and goes with it, and a swap takes both in one step.
func (t Tree) stateFile() string { return filepath.Join(t.Dir, ".git", "sarama-fanout.json") }

// State reads the state; the zero State stands for a tree made by hand.
func (t Tree) State() State {
	var s State
	if data, err := os.ReadFile(t.stateFile()); err != nil || json.Unmarshal(data, &s) != nil {
		return State{}
	}
	return s
}

// SetState notes that tree and patches agree.
func (t Tree) SetState(s State) error {
	data, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	// Written aside and renamed, so that a killed run cannot leave half a file.
	if err := os.WriteFile(t.stateFile()+".new", append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(t.stateFile()+".new", t.stateFile())
}

// halfDone are the files by which git remembers that something is going on.
var halfDone = map[string]string{
	"rebase-merge": "rebase", "rebase-apply": "rebase", "MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "BISECT_LOG": "bisect",
}

// Settled makes sure that all that is in the tree is in the commits of its branch: it refuses work that is half done.
func (t Tree) Settled() error {
	if info, err := os.Lstat(filepath.Join(t.Dir, ".git")); err != nil || !info.IsDir() {
		return hint.Errorf("make apply FORCE=1   (replaces the folder)", "%s is not a repository made by \"make apply\"", t.Name)
	}
	for name, verb := range halfDone {
		if _, err := os.Lstat(filepath.Join(t.Dir, ".git", name)); err == nil {
			if _, err := os.Lstat(filepath.Join(t.Dir, ".git", name, "applying")); err == nil {
				verb = "am"
			}
			abort, finish := "--abort", "--continue"
			if verb == "bisect" {
				abort, finish = "reset", "log"
			}
			return hint.Errorf("git -C "+t.Name+" "+verb+" "+finish+"\ngit -C "+t.Name+" "+verb+" "+abort, "%s is in the middle of a git %s", t.Name, verb)
		}
	}
	unreadable := "git -C " + t.Name + " status\nmake apply FORCE=1   (replaces the folder)"
	ref, err := t.line("symbolic-ref", "--quiet", "--short", "HEAD")
	if gitErr := (*git.Error)(nil); errors.As(err, &gitErr) && gitErr.Stderr != "" { // on no branch, it fails without a word
		return hint.Errorf(unreadable, "%s cannot be read: %v", t.Name, err)
	}
	if ref != t.branch() {
		if ref == "" {
			ref = "no branch"
		}
		return hint.Errorf("git -C "+t.Name+" switch "+t.branch(), "%s is on %s, but its patches are on %s", t.Name, ref, t.branch())
	}
	status, err := t.Run("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return hint.Errorf(unreadable, "%s cannot be read: %v", t.Name, err)
	}
	if changed := strings.FieldsFunc(status, func(r rune) bool { return r == 0 }); len(changed) > 0 {
		more := ""
		if len(changed) > 5 {
			changed, more = changed[:5], "\n  ..."
		}
		return hint.Errorf("git -C "+t.Name+" add -A && git -C "+t.Name+" commit --amend   (or --fixup=COMMIT and rebase --autosquash), then make export\nmake apply FORCE=1   (drops the changes)",
			"%s has changes that are not committed:\n  %s%s", t.Name, strings.Join(changed, "\n  "), more)
	}
	return nil
}

// Unexported makes sure that patches hold all the work that the tree's repository holds: it refuses what apply would drop.
func (t Tree) Unexported(patches []series.Patch) error {
	refs, err := t.Run("for-each-ref", "--format=%(refname)")
	if err != nil {
		return err
	}
	for _, ref := range strings.Fields(refs) {
		if ref != "refs/heads/"+t.branch() && ref != "refs/tags/"+t.tag() {
			return hint.Errorf("git -C "+t.Name+" log "+ref+"\nmake apply FORCE=1   (drops it)", "%s holds %s, which no patch has", t.Name, ref)
		}
	}
	head, err := t.Head()
	if err != nil || head == t.State().Head {
		return err
	}
	next := "make export\nmake apply FORCE=1   (drops the commits)"
	have, err := t.Series()
	if err != nil {
		return hint.Errorf(next, "%s has commits that are not in patches/, and they cannot be exported as they are: %v", t.Name, err)
	}
	if series.Same(have, patches) {
		return nil
	}
	lost := ""
	for _, p := range have {
		if !slices.ContainsFunc(patches, func(q series.Patch) bool { return series.Same([]series.Patch{p}, []series.Patch{q}) }) {
			lost += "\n  " + p.ID
		}
	}
	if lost == "" {
		lost = "\n  fewer than there, or in another order"
	}
	return hint.Errorf(next, "%s has commits that are not in patches/:%s", t.Name, lost)
}
