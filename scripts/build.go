package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"sarama-fanout/scripts/internal/goexec"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/release"
)

func buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build [RELEASE]",
		Short: "Fetch, apply if needed, compile; print the tree's sum and the line for your go.mod",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := openLocked()
			if err != nil {
				return err
			}
			defer p.Unlock()
			t, rel, err := apply(p, arg(args), applyFlags{})
			if err != nil {
				return err
			}
			say("compiling %s", t.Name)
			// Compiles every package as go build does, but does not link upstream's four example programs anew each time.
			if _, err := goexec.Output(t.Dir, "list", "-export", "./..."); err != nil {
				return hint.Errorf("cd "+t.Name+" && go build ./...", "%s does not compile\n%v", t.Name, err)
			}
			files, err := t.Files()
			if err != nil {
				return err
			}
			sum, err := release.TreeSum(t.Dir, rel.Version, files)
			if err != nil {
				return err
			}
			say("its sum, and the line for your go.mod:")
			fmt.Println(sum)
			fmt.Printf("replace %s => %s\n", rel.Path, modfile.AutoQuote(t.Dir))
			return nil
		},
	}
}
