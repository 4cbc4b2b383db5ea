package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sarama-fanout/scripts/internal/git"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/release"
	"sarama-fanout/scripts/internal/series"
)

// attributes undo whatever upstream's own .gitattributes says, so that files go in and out byte for byte and patches look the
// same with and without them. This file wins over those in the tree.
const attributes = "* -text -ident -filter !diff !whitespace !working-tree-encoding !eol\n"

// config is for the maintainer's own git commands in the tree; the tool does not rely on it.
const config = "[core]\n\tautocrlf = false\n\tsafecrlf = false\n[gc]\n\tauto = 0\n"

// Assemble makes the tree in t.Dir, which must be empty. If exact, each patch must apply where it says and be in the very
// form that export gives it.
func (t Tree) Assemble(rel *release.Release, patches []series.Patch, exact bool) error {
	if err := rel.Unpack(t.Dir); err != nil {
		return err
	}
	if err := t.commitUpstream(rel); err != nil {
		return err
	}
	for i, p := range patches {
		if err := t.am(p, exact); err != nil {
			return fmt.Errorf("patch %d of %d: %w", i+1, len(patches), err)
		}
	}
	return nil
}

func (t Tree) commitUpstream(rel *release.Release) error {
	if _, err := t.Run("init", "-q", "--template="); err != nil {
		return err
	}
	dotGit := filepath.Join(t.Dir, ".git")
	if err := os.Mkdir(filepath.Join(dotGit, "info"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dotGit, "info", "attributes"), []byte(attributes), 0o644); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dotGit, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(config)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	date := rel.Time.UTC().Format("2006-01-02T15:04:05+00:00")
	env := []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	for _, args := range [][]string{
		{"symbolic-ref", "HEAD", "refs/heads/" + t.branch()},
		{"add", "--force", "--all", "."}, // force: upstream's .gitignore must not lose a file
		{"commit", "-q", "--no-verify", "-m", fmt.Sprintf("%s\n\n%s\n", rel.Version, rel.Sum)},
		{"tag", t.tag()},
	} {
		if _, err := t.RunWith(env, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// failed is where git says that a hunk does not fit.
var failed = regexp.MustCompile(`(?m)^error: patch failed: (.+):(\d+)$`)

func (t Tree) am(p series.Patch, exact bool) error {
	name := "patches/" + p.File()
	edited := "git diff " + name + "   (was it edited?)\ngit checkout -- " + name
	before, err := t.Head()
	if err != nil {
		return err
	}
	_, err = t.RunWith(nil, p.Data, "am", "-q",
		"--no-3way",                       // a three-way merge can put a hunk into a look-alike function and report success
		"--patch-format=mboxrd",           // as export writes them
		"--keep-non-patch",                // or "[core] x" loses its first word
		"--keep-cr",                       // upstream may have files with CRLF
		"--committer-date-is-author-date", // so that commit ids are the same everywhere
		"--whitespace=nowarn", "--no-scissors", "--no-signoff", "--no-message-id", "--no-gpg-sign")
	var gitErr *git.Error
	if errors.As(err, &gitErr) {
		if where := failed.FindStringSubmatch(gitErr.Stderr); where != nil {
			return hint.Errorf(edited, "%s does not apply to %s: the lines that it changes at %s:%s are not there\n%s", name, t.Release, where[1], where[2], gitErr.Stderr)
		}
		return hint.Errorf(edited, "%s is damaged or does not apply to %s\n%s", name, t.Release, gitErr.Stderr)
	}
	if err != nil {
		return err
	}
	commits, err := t.since(before)
	if err != nil {
		return hint.Errorf("${EDITOR:-vi} "+name, "%s: %v", name, err)
	}
	if len(commits) != 1 {
		return hint.Errorf("${EDITOR:-vi} "+name, "%s holds %d patches, but a file holds one", name, len(commits))
	}
	if got := commits[0]; got.ID != p.ID {
		return hint.Errorf("${EDITOR:-vi} "+name, "%s has the trailer \"Fork-Id: %s\", which is not its name", name, got.ID)
	} else if exact {
		if err := differ(string(p.Data), string(got.Data)); err != nil {
			return hint.Errorf("make apply INEXACT=1 && make export   (rewrites the patch; review with git diff patches)\ngit checkout -- "+name, "%s:%v", name, err)
		}
	}
	return nil
}

// differ shows the first line in which a patch is not what export makes of it.
func differ(have, want string) error {
	h, w := strings.SplitAfter(have, "\n"), strings.SplitAfter(want, "\n")
	n := 0
	for n < len(h) && n < len(w) && h[n] == w[n] {
		n++
	}
	if n == len(h) && n == len(w) {
		return nil
	}
	at := func(lines []string) string { return strings.TrimSuffix(append(lines, "the end of the file")[n], "\n") }
	why := "it is not in the form that export writes"
	if strings.HasPrefix(at(h), "@@ ") && strings.HasPrefix(at(w), "@@ ") {
		why = "it applies, but not at the lines that it says"
	}
	return fmt.Errorf("%d: %s\n  patch:  %s\n  export: %s", n+1, why, at(h), at(w))
}
