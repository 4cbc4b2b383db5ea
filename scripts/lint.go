package main

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"sarama-fanout/scripts/internal/goexec"
	"sarama-fanout/scripts/internal/hint"
)

// linter is pinned here and not in go.mod: its some hundred dependencies would become the tool's.
const linter = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0"

func lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lint",
		Short: "Run golangci-lint over all that is ours",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := open()
			if err != nil {
				return err
			}
			if err := os.Chdir(p.Root); err != nil {
				return err
			}
			ours := []string{"--config", filepath.Join(p.Root, ".golangci.yml")}
			nested, err := filepath.Glob("test/*/go.mod")
			if err != nil {
				return err
			}
			bad := false
			for _, mod := range append([]string{"scripts/go.mod", "go.mod", "upstream/sarama/go.mod"}, nested...) {
				dir, args := filepath.Dir(mod), ours
				if dir == "upstream/sarama" {
					args = []string{"--new-from-rev=upstream/" + p.Base()} // by upstream's own rules, and only what we add
				}
				say("== %s", dir)
				cmd := exec.Command("go", append([]string{"run", linter, "run"}, args...)...)
				cmd.Dir = filepath.Join(p.Root, dir)
				cmd.Env = goexec.Environ(cmd.Dir)
				cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
				bad = cmd.Run() != nil || bad
			}
			if bad {
				return hint.Errorf("make lint   (after fixing what stands above)", "the linter has complaints")
			}
			return nil
		},
	}
}
