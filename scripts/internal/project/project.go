// Package project knows where things are: the root folder, the supported releases, the lock and the swap of folders.
package project

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"

	"sarama-fanout/scripts/internal/hint"
)

// Project is a checkout of this repository.
type Project struct {
	Root     string
	Releases []string // newest first
	Held     *os.File // the lock, while it is held
}

// Open finds the project that dir lies in. upstream/releases is its mark: nothing works without that file.
func Open(dir string) (*Project, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for {
		data, err := os.ReadFile(filepath.Join(root, "upstream", "releases"))
		if err == nil {
			p := &Project{Root: root}
			return p, p.readReleases(data)
		}
		if !os.IsNotExist(err) {
			return nil, hint.Errorf("ls -l "+Quote(filepath.Join(root, "upstream")), "%v", err)
		}
		if filepath.Dir(root) == root {
			return nil, hint.Errorf("cd to the folder that holds upstream/releases, then make", "%s is not in a checkout of sarama-fanout", dir)
		}
		root = filepath.Dir(root)
	}
}

func (p *Project) readReleases(data []byte) error {
	const next = "git diff upstream/releases"
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		v, _, _ := strings.Cut(lines.Text(), "#")
		v = strings.TrimSpace(v)
		if v == "" {
			continue
		}
		if semver.Canonical(v) != v {
			return hint.Errorf(next, "upstream/releases:%d: %q is not a release like v1.61.1", n, v)
		}
		if k := len(p.Releases); k > 0 && semver.Compare(v, p.Releases[k-1]) >= 0 {
			return hint.Errorf(next, "upstream/releases:%d: %s stands below %s, but the list runs newest first, each once", n, v, p.Releases[k-1])
		}
		p.Releases = append(p.Releases, v)
	}
	if len(p.Releases) == 0 {
		return hint.Errorf(next, "upstream/releases lists no release")
	}
	return lines.Err()
}

// Base is the release the patches are written against.
func (p *Project) Base() string { return p.Releases[0] }

// Release checks a release's name; "" means the base.
func (p *Project) Release(v string) (string, error) {
	if v == "" {
		return p.Base(), nil
	}
	above, below := "", ""
	for _, r := range p.Releases {
		switch c := semver.Compare(r, "v"+strings.TrimPrefix(v, "v")); {
		case r == v:
			return r, nil
		case c >= 0:
			above = r // the list runs downwards, so the last one seen is the nearest
		case below == "":
			below = r
		}
	}
	if !semver.IsValid("v" + strings.TrimPrefix(v, "v")) {
		above, below = p.Base(), ""
	}
	near := strings.Join(strings.Fields(above+" "+below), ", ")
	first, _, _ := strings.Cut(near, ",")
	if text, err := os.ReadFile(filepath.Join(p.Upstream(), "releases")); err == nil && strings.Contains(string(text), "\n# "+v+" ") {
		near += "\nwhy it is missing stands there, too"
	}
	return "", hint.Errorf("make fetch RELEASE="+first, "unknown release %q: not in upstream/releases; the nearest there: %s", v, near)
}

// Upstream is the folder of pins and trees.
func (p *Project) Upstream() string { return filepath.Join(p.Root, "upstream") }

// Patches is the folder of the series.
func (p *Project) Patches() string { return filepath.Join(p.Root, "patches") }

// Tree is where the patched tree of a release lives. The base has the short path, since users' go.mod files name it.
func (p *Project) Tree(release string) string {
	if release == p.Base() {
		return filepath.Join(p.Upstream(), "sarama")
	}
	return filepath.Join(p.Upstream(), "trees", release)
}

// Rel shortens a path for messages.
func (p *Project) Rel(path string) string {
	if rel, err := filepath.Rel(p.Root, path); err == nil {
		return rel
	}
	return path
}

// Quote makes a path safe to paste into a shell.
func Quote(path string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/._-+=:@%,", r) || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
