package release

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	modzip "golang.org/x/mod/zip"

	"sarama-fanout/scripts/internal/goexec"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/project"
)

// Release is a release in the module cache that matches its pin.
type Release struct {
	Pin
	Zip  string
	Time time.Time // when upstream made it
}

// Fetch downloads a release, or finds it in the module cache, and checks it.
//
// Go compares the sum it noted when it downloaded the zip, so an edit of the cache since then goes unnoticed by it. Hence the
// content is hashed again here: the zip, which is where the tree is taken from, and the unpacked folder, which is what programs
// without the patches are built from.
func Fetch(upstream, version string) (*Release, error) {
	pin, err := ReadPin(upstream, version)
	if err != nil {
		return nil, err
	}
	var d struct{ Info, GoMod, Zip, Dir, Error string }
	out, err := goexec.Output(upstream, "mod", "download", "-json", pin.Version.String())
	if json.Unmarshal([]byte(out), &d) == nil && d.Error != "" {
		return nil, hint.Errorf("make fetch RELEASE="+version+"   (after a look at the network and at GOPROXY=$(go env GOPROXY))", "cannot download %s: %s", pin.Version, d.Error)
	}
	if err != nil && strings.Contains(err.Error(), "checksum mismatch") {
		return nil, hint.Errorf("git diff upstream/go.sum   (is the pin as committed?)\n"+forget(pin)+"   (if it is: what was downloaded is bad)",
			"%s is not what upstream/go.sum pins\n%v", pin.Version, err)
	}
	if err != nil {
		return nil, hint.Or(err, "cd "+project.Quote(upstream)+" && go mod download "+pin.Version.String())
	}
	if d.Info == "" || d.GoMod == "" || d.Zip == "" || d.Dir == "" { // Go says nothing at all if the time of release is missing
		return nil, hint.Errorf(forget(pin), "the module cache is damaged: go mod download finds %s, but does not say where: %s", pin.Version, out)
	}
	cached := []struct {
		path string
		sum  string
		hash func(string) (string, error)
		rest []string // files that must go with it for Go to get it anew
	}{
		{d.Zip, pin.Sum, func(f string) (string, error) { return dirhash.HashZip(f, dirhash.Hash1) }, []string{d.Zip + "hash"}},
		{d.Dir, pin.Sum, func(f string) (string, error) { return dirhash.HashDir(f, pin.Version.String(), dirhash.Hash1) }, nil},
		{d.GoMod, pin.ModSum, hashGoMod, nil},
	}
	for _, c := range cached {
		// Go's unpacked folders are read-only, hence the chmod.
		next := "chmod -R u+w " + project.Quote(c.path) + "; rm -rf"
		for _, f := range append(c.rest, c.path) {
			next += " " + project.Quote(f)
		}
		next += "; make fetch RELEASE=" + version
		switch sum, err := c.hash(c.path); {
		case err != nil:
			return nil, hint.Errorf(next, "the module cache is damaged: %s: %v", c.path, err)
		case sum != c.sum:
			return nil, hint.Errorf(next, "the module cache was changed after the download: %s\nhas the sum %s\nbut pinned is %s", c.path, sum, c.sum)
		}
	}
	rel := &Release{Pin: pin, Zip: d.Zip}
	info := struct{ Time *time.Time }{&rel.Time}
	data, err := os.ReadFile(d.Info)
	if err == nil {
		err = json.Unmarshal(data, &info)
	}
	if err != nil || rel.Time.IsZero() {
		return nil, hint.Errorf(forget(pin), "the module cache is damaged: no time of release in %s", d.Info)
	}
	return rel, nil
}

// forget is the command that makes Go download a release anew.
func forget(pin Pin) string {
	cache, err := goexec.Output("", "env", "GOMODCACHE")
	path, err2 := module.EscapePath(pin.Path)
	if err != nil || err2 != nil {
		return "go env GOMODCACHE   (and remove the release from there)"
	}
	dir := filepath.Join(strings.TrimSpace(cache), "cache", "download", filepath.FromSlash(path), "@v")
	return "rm -f " + project.Quote(dir) + "/" + pin.Version.Version + ".*; make fetch RELEASE=" + pin.Version.Version
}

func hashGoMod(path string) (string, error) {
	return dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(path) })
}

// Unpack writes the release's files to dir, which must be empty, and checks what it wrote.
func (r *Release) Unpack(dir string) error {
	if err := modzip.Unzip(dir, r.Version, r.Zip); err != nil {
		return err
	}
	sum, err := dirhash.HashDir(dir, r.Version.String(), dirhash.Hash1)
	if err != nil {
		return err
	}
	if sum != r.Sum {
		return hint.Errorf("make fetch RELEASE="+r.Version.Version, "%s gave files with the sum %s, but pinned is %s", r.Zip, sum, r.Sum)
	}
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o644) // zips of modules carry no modes and Unzip leaves files read-only
	})
}

// TreeSum is the h1: of those files of the module in dir that are named in tracked, as Go would compute it from the module's
// zip: so with no patches it equals upstream's.
func TreeSum(dir string, m module.Version, tracked []string) (string, error) {
	files, err := modzip.CheckDir(dir) // leaves out what never gets into a zip: .git, vendor, nested modules, links
	if err != nil {
		return "", err
	}
	wanted := map[string]bool{}
	for _, f := range tracked {
		wanted[f] = true
	}
	var names []string
	for _, f := range files.Valid {
		if rel, err := filepath.Rel(dir, f); err == nil && wanted[filepath.ToSlash(rel)] {
			names = append(names, m.String()+"/"+filepath.ToSlash(rel))
		}
	}
	return dirhash.Hash1(names, func(name string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, strings.TrimPrefix(name, m.String()+"/")))
	})
}
