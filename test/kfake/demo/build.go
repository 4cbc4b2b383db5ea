package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	ownModule    = "sarama-fanout/test/kfake"
	saramaModule = "github.com/IBM/sarama"
	clientPkg    = "./demo/client"
)

// source is what both builds are made from.
type source struct {
	root    string // folder of the nested module
	version string // release of Sarama that it requires
}

// findSource looks at the module around dir (empty: where the demo is run) and says what to do when something is missing.
func findSource(ctx context.Context, dir string) (*source, error) {
	out, err := goTool(ctx, dir, "list", "-m", "-f", "{{.Path}}\n{{.Dir}}")
	path, root, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if err != nil || path != ownModule {
		return nil, fmt.Errorf("not inside the module %s\nnext: in the repository's top folder: make demo", ownModule)
	}
	s := &source{root: root}

	out, err = goTool(ctx, root, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Require []struct{ Path, Version string }
		Replace []struct{ Old, New struct{ Path string } }
	}
	if err := json.Unmarshal([]byte(out), &mod); err != nil {
		return nil, fmt.Errorf("%s is not understood: %w", filepath.Join(root, "go.mod"), err)
	}
	for _, r := range mod.Require {
		if r.Path == saramaModule {
			s.version = r.Version
		}
	}
	tree := ""
	for _, r := range mod.Replace {
		if r.Old.Path == saramaModule {
			tree = r.New.Path
		}
	}
	if s.version == "" || tree == "" {
		return nil, fmt.Errorf("%s does not require and replace %s\nnext: git checkout -- test/kfake/go.mod", filepath.Join(root, "go.mod"), saramaModule)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(tree), "go.mod")); err != nil {
		return nil, fmt.Errorf("the patched Sarama (upstream/sarama) is not built yet\nnext: make, then make demo")
	}
	return s, nil
}

// buildUnpatched builds the client against the release as the Go module proxy serves it, by a go.mod of its own outside the
// work tree.
func (s *source) buildUnpatched(ctx context.Context, temp string) (string, error) {
	mod := filepath.Join(temp, "unpatched.mod")
	if err := copyFile(mod, filepath.Join(s.root, "go.mod")); err != nil {
		return "", err
	}
	if _, err := goTool(ctx, s.root, "mod", "edit", "-dropreplace="+saramaModule, mod); err != nil {
		return "", err
	}
	// The module's own go.sum names no Sarama, because a replaced module needs no sum. The repository's pins do.
	sums, err := os.ReadFile(filepath.Join(s.root, "go.sum"))
	if err != nil {
		return "", err
	}
	pins, err := pinsOf(filepath.Join(s.root, "..", "..", "upstream", "go.sum"), s.version)
	if err != nil {
		return "", err
	}
	// Go looks for the sums beside the -modfile, under the same name.
	if err := os.WriteFile(filepath.Join(temp, "unpatched.sum"), append(sums, pins...), 0o600); err != nil {
		return "", err
	}
	bin := filepath.Join(temp, "unpatched-client"+exeSuffix())
	_, err = goTool(ctx, s.root, "build", "-mod=readonly", "-modfile="+mod, "-o", bin, clientPkg)
	if err != nil {
		return "", fmt.Errorf("the client does not build against unpatched %s %s: %w", saramaModule, s.version, err)
	}
	return bin, nil
}

// buildPatched builds the client as the module's go.mod says.
func (s *source) buildPatched(ctx context.Context, temp string) (string, error) {
	bin := filepath.Join(temp, "patched-client"+exeSuffix())
	if _, err := goTool(ctx, s.root, "build", "-mod=readonly", "-o", bin, clientPkg); err != nil {
		return "", fmt.Errorf("the client does not build against the patched Sarama: %w\nnext: make, then make demo", err)
	}
	return bin, nil
}

// pinsOf reads the two lines of a go.sum that pin one release of Sarama.
func pinsOf(path, version string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the pins (upstream/go.sum) cannot be read: %w\nnext: git checkout -- upstream", err)
	}
	defer file.Close()
	var pins bytes.Buffer
	lines := bufio.NewScanner(file)
	found := 0
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == saramaModule && (fields[1] == version || fields[1] == version+"/go.mod") {
			fmt.Fprintln(&pins, lines.Text())
			found++
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if found < 2 {
		return nil, fmt.Errorf("upstream/go.sum does not pin %s %s\nnext: git checkout -- upstream, then make", saramaModule, version)
	}
	return pins.Bytes(), nil
}

// goTool runs the Go command in dir. Its errors carry what it said.
func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// A workspace around the repository would replace the -modfile's view of things.
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return "", fmt.Errorf("go %s: %w\n%s", args[0], err, said)
		}
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// exeSuffix is what Windows wants at the end of a program's name.
func exeSuffix() string {
	if os.PathSeparator == '\\' {
		return ".exe"
	}
	return ""
}
