// Command scripts is the tool of sarama-fanout: it fetches a release of upstream, applies the patches to it, and turns an
// edited tree back into patches. The Makefile calls it; see "make help".
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sarama-fanout/scripts/internal/git"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/project"
)

func main() {
	root := &cobra.Command{
		Use:               "scripts",
		Short:             "Fetch, patch and build Sarama; edit the patches",
		SilenceErrors:     true, // printed below, once
		SilenceUsage:      true, // an error ends with the next command, not with a page of help
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(fetchCommand(), applyCommand(), exportCommand(), buildCommand(), testCommand())
	if cmd, err := root.ExecuteC(); err != nil {
		next := "make help"
		if cmd != root {
			next = "make " + cmd.Name() + "   (after a remedy; \"make help\" lists the rest)"
		}
		fmt.Fprintln(os.Stderr, "error:", hint.Or(err, next))
		os.Exit(1)
	}
}

// open finds the project and checks what every verb needs.
func open() (*project.Project, error) {
	if err := git.CheckVersion(); err != nil {
		return nil, err
	}
	return project.Open(".")
}

// openLocked is open for verbs that write.
func openLocked() (*project.Project, error) {
	p, err := open()
	if err != nil {
		return nil, err
	}
	return p, p.Lock()
}

// say reports progress. Standard output is for results.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// arg is the optional argument of a verb.
func arg(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
