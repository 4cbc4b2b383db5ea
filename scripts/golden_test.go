package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the after folders of testdata/cases from what the tool does; review with git diff")

// Each folder of testdata/cases is one situation: before/ holds the patches, do is what is typed, after/ what there must be then:
// patches/, sarama/ (the files of the tree that differ from upstream's), log (the tree's commits: equal ids mean that time, user
// and machine left no trace) and output.
//
// Every case runs twice, the second time for a user whose git and environment are set up to get in the way.
func TestCases(t *testing.T) {
	cases, err := os.ReadDir(filepath.Join("testdata", "cases"))
	must(t, err)
	for _, c := range cases {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			golden(t, c.Name(), newCheckout(t, c.Name()), *update)
		})
		t.Run(c.Name()+"/hostile", func(t *testing.T) {
			t.Parallel()
			co := newCheckout(t, c.Name())
			hostile(co)
			golden(t, c.Name(), co, false)
			if _, err := os.Stat(filepath.Join(co.tmp, "hook-ran")); err == nil {
				t.Error("a hook of the user's ran")
			}
		})
	}
}

func golden(t *testing.T, name string, co *checkout, update bool) {
	dir := filepath.Join("testdata", "cases", name)
	do, err := os.ReadFile(filepath.Join(dir, "do"))
	must(t, err)
	cmd := co.command("sh", "-eu", "-c", prelude+string(do))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, output.String())
	}

	got := t.TempDir()
	text := strings.NewReplacer(co.root, "$ROOT", co.tmp, "$TMP").Replace(output.String())
	must(t, os.WriteFile(filepath.Join(got, "output"), []byte(text), 0o644))
	if _, err := os.Stat(co.path("upstream/sarama/.git")); err == nil {
		log := co.git("log", "--format=%H %T%n    %cN %cI%n    %aN %aI%n    %s")
		must(t, os.WriteFile(filepath.Join(got, "log"), []byte(log), 0o644))
		if status := co.git("status", "--short"); status != "" {
			t.Errorf("the tree is not clean:\n%s", status)
		}
	}
	must(t, copyTree(co.path("patches"), filepath.Join(got, "patches"), same))
	differing(t, co.path("upstream/sarama"), filepath.Join(got, "sarama"))

	after := filepath.Join(dir, "after")
	if update {
		must(t, os.RemoveAll(after))
		must(t, copyTree(got, after, same))
	}
	unchanged(t, snapshot(t, after), snapshot(t, got))
	if t.Failed() {
		t.Logf("output:\n%s", text)
	}
	left, err := filepath.Glob(filepath.Join(strings.ReplaceAll(co.root, "[", "\\["), "*", ".*.new-*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// differing copies the files of a tree that are not just as upstream has them; a file that is gone is marked by .gone.
func differing(t *testing.T, tree, to string) {
	t.Helper()
	base := t.TempDir()
	must(t, copyTree(filepath.Join("testdata", "upstream", fakeBase), base, func(s string) string { return strings.ReplaceAll(s, "dot-", ".") }))
	was, is := snapshot(t, base), map[string]string{}
	if _, err := os.Stat(tree); err == nil {
		is = snapshot(t, tree)
	}
	for name, sum := range is {
		if !strings.HasPrefix(name, ".git/") && !strings.HasPrefix(sum, "d") && sum != was[name] {
			data, err := os.ReadFile(filepath.Join(tree, name))
			must(t, err)
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755))
			must(t, os.WriteFile(filepath.Join(to, name), data, 0o644))
		}
	}
	for name, sum := range was {
		if len(is) > 0 && is[name] == "" && !strings.HasPrefix(sum, "d") && !strings.HasPrefix(name, "nested/") {
			must(t, os.MkdirAll(to, 0o755))
			must(t, os.WriteFile(filepath.Join(to, filepath.Base(name)+".gone"), nil, 0o644))
		}
	}
}

// prelude is what the do files may use.
var prelude = `
exec </dev/null
fails() { if "$@"; then echo "did not fail: $*"; exit 1; fi; }
# in_tree runs git in the tree as a maintainer whose own git is set up plainly.
in_tree() { env -i PATH="$PATH" HOME=/nowhere ` + shellEnv(maintainer) + ` git -C upstream/sarama "$@" 2>/dev/null; }
commit() { in_tree add -f -A && in_tree commit -q --cleanup=verbatim "$@"; }
`

func shellEnv(env []string) string {
	var b strings.Builder
	for _, kv := range env {
		b.WriteString("'" + kv + "' ")
	}
	return b.String()
}

// hostile gives the checkout a user whose settings change what git does wherever they can.
func hostile(co *checkout) {
	t := co.t
	hooks := filepath.Join(co.tmp, "template", "hooks")
	must(t, os.MkdirAll(hooks, 0o755))
	for _, hook := range []string{"applypatch-msg", "commit-msg", "post-applypatch", "post-commit", "pre-applypatch", "pre-commit", "prepare-commit-msg", "reference-transaction", "post-index-change"} {
		must(t, os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\necho ran >> '"+co.tmp+"/hook-ran'\nexit 1\n"), 0o755))
	}
	must(t, os.WriteFile(filepath.Join(co.tmp, "attributes"), []byte("* text eol=crlf ident diff=x\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(co.tmp, "order"), []byte("ring/*\n*.txt\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(co.tmp, "home", ".gitconfig"), []byte(strings.ReplaceAll(hostileConfig, "TMP", co.tmp)), 0o644))
	elsewhere := filepath.Join(co.tmp, "elsewhere")
	co.env = append(co.env,
		"XDG_CONFIG_HOME="+filepath.Join(co.tmp, "home"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(co.tmp, "home", ".gitconfig"), "GIT_CONFIG_SYSTEM="+filepath.Join(co.tmp, "home", ".gitconfig"),
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=diff.noprefix", "GIT_CONFIG_VALUE_0=true", "GIT_CONFIG_KEY_1=diff.context", "GIT_CONFIG_VALUE_1=0",
		"GIT_CONFIG_PARAMETERS='am.threeway'='true'",
		"GIT_DIR="+elsewhere, "GIT_WORK_TREE="+elsewhere, "GIT_INDEX_FILE="+filepath.Join(elsewhere, "index"),
		"GIT_OBJECT_DIRECTORY="+elsewhere, "GIT_NAMESPACE=x", "GIT_TEMPLATE_DIR="+filepath.Join(co.tmp, "template"),
		"GIT_AUTHOR_NAME=Somebody", "GIT_COMMITTER_NAME=Somebody", "GIT_COMMITTER_EMAIL=somebody@example.invalid",
		"GIT_AUTHOR_DATE=2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2001-01-01T00:00:00Z", "GIT_EXTERNAL_DIFF=false", "GIT_DIFF_OPTS=-u0",
		"TZ=Asia/Kolkata", "LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8", "EMAIL=x@example.invalid",
	)
}

const hostileConfig = `
[am]
	threeWay = true
	keepcr = false
	messageid = true
[apply]
	whitespace = fix
	ignoreWhitespace = change
[color]
	ui = always
[commit]
	gpgSign = true
	cleanup = strip
	template = TMP/nothing
[tag]
	gpgSign = true
[core]
	autocrlf = true
	safecrlf = true
	eol = crlf
	attributesFile = TMP/attributes
	hooksPath = TMP/template/hooks
	excludesFile = TMP/attributes
	quotePath = false
	abbrev = 4
	whitespace = cr-at-eol
	commentChar = F
	fsmonitor = TMP/template/hooks/pre-commit
	ignoreCase = true
[diff]
	algorithm = histogram
	context = 0
	interHunkContext = 9
	external = false
	indentHeuristic = false
	mnemonicPrefix = true
	noprefix = true
	orderFile = TMP/order
	renames = copies
	suppressBlankEmpty = true
	wordRegex = .
	colorMoved = zebra
[diff "x"]
	textconv = tac
	xfuncname = nothing
[diff "golang"]
	xfuncname = nothing
	textconv = tac
[format]
	attach = x
	coverLetter = true
	encodeEmailHeaders = false
	forceInBodyFrom = true
	from = Somebody Else <else@example.invalid>
	headers = "X-Header: yes\n"
	noprefix = true
	mboxrd = false
	notes = true
	numbered = true
	pretty = fuller
	signOff = true
	signature = -sent by mail-
	subjectPrefix = HOSTILE
	suffix = .txt
	thread = deep
	to = to@example.invalid
	cc = cc@example.invalid
	useAutoBase = true
	outputDirectory = TMP/elsewhere
	filenameMaxLength = 5
[gpg]
	program = false
[i18n]
	commitEncoding = ISO-8859-1
	logOutputEncoding = ISO-8859-1
[init]
	templateDir = TMP/template
	defaultBranch = hostile
	defaultObjectFormat = sha256
[log]
	date = relative
	decorate = full
	showSignature = true
	showRoot = false
	mailmap = true
	follow = true
[mailinfo]
	scissors = true
[mailmap]
	file = TMP/order
[merge]
	conflictStyle = diff3
	renames = true
[rebase]
	autoSquash = true
[status]
	showUntrackedFiles = no
	short = true
	branch = true
	relativePaths = false
[submodule]
	recurse = true
[trailer]
	separators = "%="
	ifexists = replace
[user]
	name = Somebody
	email = somebody@example.invalid
	signingKey = 0
[broken, so that every git that reads this file stops here
`
