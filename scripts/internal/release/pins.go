// Package release gets upstream's releases, each checked against its pin.
package release

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"sarama-fanout/scripts/internal/hint"
)

// Pin is what upstream/go.sum says about a release.
type Pin struct {
	module.Version
	Sum, ModSum string
}

// String is the pin as one line of text, to be hashed with the rest of a build's input.
func (p Pin) String() string { return fmt.Sprintf("%s %s %s", p.Version, p.Sum, p.ModSum) }

// ReadPin finds a release's pin. Both its lines must be there: Go passes over a missing one without a word.
func ReadPin(upstream, release string) (Pin, error) {
	const next = "git diff upstream/go.sum"
	data, err := os.ReadFile(filepath.Join(upstream, "go.sum"))
	if err != nil {
		return Pin{}, hint.Errorf("git checkout -- upstream/go.sum", "cannot read the pins: %v", err)
	}
	var pin Pin
	for n, line := range strings.Split(string(data), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 3 || !strings.HasPrefix(f[2], "h1:") {
			return Pin{}, hint.Errorf(next, "upstream/go.sum:%d: not a line of three words like \"module version h1:sum\"", n+1)
		}
		// The folder pins one module, so the file itself says which.
		if pin.Path != "" && f[0] != pin.Path {
			return Pin{}, hint.Errorf(next, "upstream/go.sum:%d: a pin of %s among those of %s", n+1, f[0], pin.Path)
		}
		pin.Path = f[0]
		sum := map[string]*string{release: &pin.Sum, release + "/go.mod": &pin.ModSum}[f[1]]
		if sum != nil && *sum != "" && *sum != f[2] {
			return Pin{}, hint.Errorf(next, "upstream/go.sum:%d: a second, different pin of %s", n+1, f[1])
		}
		if sum != nil {
			*sum = f[2]
		}
	}
	pin.Version.Version = release
	for line, sum := range map[string]string{release: pin.Sum, release + "/go.mod": pin.ModSum} {
		if sum == "" {
			return Pin{}, hint.Errorf("git checkout -- upstream/go.sum", "no pin of %s in upstream/go.sum: the line \"%s %s h1:...\" is missing", release, pin.Path, line)
		}
	}
	return pin, nil
}
