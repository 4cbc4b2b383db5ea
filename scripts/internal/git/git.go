// Package git runs git so that the same input gives the same bytes on every machine.
package git

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"sarama-fanout/scripts/internal/hint"
)

// MinVersion is the first git that obeys GIT_CONFIG_GLOBAL: with an older one the user's own settings would leak in.
const MinVersion = "2.32"

// Who commits. The committer is no part of a patch, but of the commit ids, which are to be the same everywhere.
const (
	Name  = "sarama-fanout"
	Email = "sarama-fanout@users.noreply.invalid"
)

// settings overrule the work repository's own configuration, which is the one file that a maintainer may have changed and
// that the environment cannot switch off.
var settings = []string{
	"advice.detachedHead=false",
	"am.keepcr=true", "am.messageid=false", "am.threeWay=false",
	"apply.ignoreWhitespace=no", "apply.whitespace=nowarn",
	"color.ui=false",
	"commit.cleanup=verbatim", "commit.gpgSign=false", "tag.gpgSign=false", "tag.forceSignAnnotated=false",
	"core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull, "core.hooksPath=" + os.DevNull,
	"core.autocrlf=false", "core.safecrlf=false", "core.quotePath=true", "core.commentChar=#",
	"core.fileMode=true", "core.fsmonitor=false", "core.untrackedCache=false", "core.pager=cat",
	"diff.algorithm=myers", "diff.context=3", "diff.interHunkContext=0", "diff.indentHeuristic=true",
	"diff.ignoreSubmodules=none", "diff.mnemonicPrefix=false", "diff.noprefix=false", "diff.orderFile=" + os.DevNull,
	"diff.renames=false", "diff.suppressBlankEmpty=false", "diff.wsErrorHighlight=none",
	"format.attach=", "format.encodeEmailHeaders=true", "format.forceInBodyFrom=false", "format.from=false",
	"format.headers=", "format.noprefix=false", "format.notes=false", "format.signOff=false", "format.thread=false",
	"format.useAutoBase=false",
	"gc.auto=0", "maintenance.auto=false",
	"i18n.commitEncoding=UTF-8", "i18n.logOutputEncoding=UTF-8",
	"log.showSignature=false", "mailinfo.scissors=false", "trailer.separators=:",
}

// Repo is a repository with a work tree at Dir.
type Repo struct {
	Dir string
	// Lock is handed to each git, so that the lock is held for as long as any git writes: a killed run's git lives on.
	Lock *os.File
}

// Run gives git's standard output. Standard error is kept apart and only shows in the error.
func (r Repo) Run(args ...string) (string, error) { return r.RunWith(nil, nil, args...) }

// RunWith is Run with more environment and with standard input.
func (r Repo) RunWith(env []string, stdin []byte, args ...string) (string, error) {
	// Naming the repository keeps git from looking for one in the folders above, where this project's own lies.
	full := []string{"--git-dir=" + filepath.Join(r.Dir, ".git"), "--work-tree=" + r.Dir, "--no-replace-objects", "--literal-pathspecs"}
	for _, s := range settings {
		full = append(full, "-c", s)
	}
	cmd := exec.Command("git", append(full, args...)...)
	cmd.Dir = r.Dir
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Env = append(Environ(), env...)
	if r.Lock != nil {
		cmd.ExtraFiles = []*os.File{r.Lock}
	}
	return output(cmd, args[0])
}

func output(cmd *exec.Cmd, verb string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", hint.Errorf("git version   (after installing git "+MinVersion+" or newer)", "git is not installed or not in PATH")
		}
		return stdout.String(), &Error{Verb: verb, Err: err, Stderr: withoutHints(cmp.Or(stderr.String(), stdout.String()))} // am says some things on stdout
	}
	return stdout.String(), nil
}

// withoutHints drops git's advice: it is about git am, which the user did not type.
func withoutHints(stderr string) string {
	lines := slices.DeleteFunc(strings.Split(stderr, "\n"), func(l string) bool { return strings.HasPrefix(l, "hint:") })
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Error is a git command that failed.
type Error struct {
	Verb   string
	Err    error
	Stderr string
}

func (e *Error) Error() string { return fmt.Sprintf("git %s: %v\n%s", e.Verb, e.Err, e.Stderr) }
func (e *Error) Unwrap() error { return e.Err }

// Environ is the environment without whatever would steer git: GIT_* variables, configuration, language, time zone.
func Environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "LC_") && name != "LANG" && name != "LANGUAGE" && name != "TZ" {
			env = append(env, kv)
		}
	}
	return append(env,
		"GIT_OPTIONAL_LOCKS=0", // reading must not write: a git status that is killed would leave index.lock behind
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:",
		"GIT_AUTHOR_NAME="+Name, "GIT_AUTHOR_EMAIL="+Email, "GIT_COMMITTER_NAME="+Name, "GIT_COMMITTER_EMAIL="+Email,
		"TZ=UTC", "LC_ALL=C", "LANG=C")
}

// CheckVersion refuses a git that is missing or too old.
func CheckVersion() error {
	cmd := exec.Command("git", "version")
	cmd.Env = Environ()
	out, err := output(cmd, "version")
	if err != nil {
		return err
	}
	// "git version 2.39.5", or "git version 2.39.5 (Apple Git-154)", or "2.45.windows.1"
	fields := strings.Fields(out)
	if len(fields) < 3 {
		return hint.Errorf("git version", "cannot read git's version from %q", out)
	}
	parts := strings.SplitN(fields[2], ".", 3)
	if len(parts) < 2 || semver.Compare("v"+parts[0]+"."+parts[1], "v"+MinVersion) < 0 {
		return hint.Errorf("git version   (after installing git "+MinVersion+" or newer)", "git %s is too old: before %s it cannot be kept from reading the user's settings", fields[2], MinVersion)
	}
	return nil
}
