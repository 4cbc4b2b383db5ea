package main

import (
	"crypto/sha256"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sarama-fanout/scripts/internal/git"
	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/project"
	"sarama-fanout/scripts/internal/release"
	"sarama-fanout/scripts/internal/series"
	"sarama-fanout/scripts/internal/tree"
)

// formatVersion is part of what a tree is made from. Raise it when a change of this tool changes the trees it makes.
const formatVersion = 1

type applyFlags struct{ force, inexact bool }

func applyCommand() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply [RELEASE]",
		Short: "Make the patched tree: upstream as one commit, each patch as one more",
		Long: "Make the patched tree: upstream as one commit, each patch as one more.\n" +
			"A tree that holds work which patches/ does not is left alone: \"make export\" first.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := openLocked()
			if err != nil {
				return err
			}
			defer p.Unlock()
			_, _, err = apply(p, arg(args), f)
			return err
		},
	}
	cmd.Flags().BoolVar(&f.force, "force", false, "make the tree anew, dropping whatever it holds")
	cmd.Flags().BoolVar(&f.inexact, "inexact", false, "take patches that apply at an offset or that export would write otherwise")
	return cmd
}

// apply makes the tree unless it is there already.
func apply(p *project.Project, version string, f applyFlags) (tree.Tree, *release.Release, error) {
	t := tree.Tree{}
	version, err := p.Release(version)
	if err != nil {
		return t, nil, hint.Errorf("make   (the base, "+p.Base()+", is the only one that can be patched yet)", "%v", err)
	}
	if version != p.Base() {
		return t, nil, hint.Errorf("make", "only the base, %s, can be patched yet, not %s", p.Base(), version)
	}
	rel, err := fetch(p, version)
	if err != nil {
		return t, nil, err
	}
	s, err := series.Load(p.Patches())
	if err != nil {
		return t, nil, err
	}
	t = treeOf(p, version)
	want := tree.State{Input: input(rel, s), Patches: s.Sum()}
	if t.Exists() && !f.force {
		if err := t.Settled(); err != nil {
			return t, nil, err
		}
		if want.Head, err = t.Head(); err != nil {
			return t, nil, err
		}
		if t.State() == want {
			say("%s is up to date", t.Name)
			return t, rel, nil
		}
		if err := t.Unexported(s.Patches); err != nil {
			return t, nil, err
		}
	}
	tmp, err := project.Temp(t.Dir)
	if err != nil {
		return t, nil, err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	fresh := t
	fresh.Dir = tmp
	if err := fresh.Assemble(rel, s.Patches, !f.inexact); err != nil {
		return t, nil, err
	}
	if f.inexact {
		want.Input = "" // not up to date: the patches want exporting
	}
	if want.Head, err = fresh.Head(); err != nil {
		return t, nil, err
	}
	if err := fresh.SetState(want); err != nil {
		return t, nil, err
	}
	if err := project.Swap(tmp, t.Dir); err != nil {
		return t, nil, err
	}
	say("%s is %s with %s", t.Name, version, patchCount(len(s.Patches)))
	return t, rel, nil
}

func treeOf(p *project.Project, version string) tree.Tree {
	dir := p.Tree(version)
	return tree.Tree{Repo: git.Repo{Dir: dir, Lock: p.Held}, Name: p.Rel(dir), Release: version}
}

// input is a hash of all that a tree is made from.
func input(rel *release.Release, s *series.Series) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s", formatVersion, rel.Pin, s.Sum())))
}
