package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sarama-fanout/scripts/internal/hint"
	"sarama-fanout/scripts/internal/project"
	"sarama-fanout/scripts/internal/release"
	"sarama-fanout/scripts/internal/series"
	"sarama-fanout/scripts/internal/tree"
)

func exportCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the commits of the patched tree back to patches/",
		Long: "Write the commits of the patched tree back to patches/, one file per commit, named by its Fork-Id trailer.\n" +
			"Nothing is written unless the new patches give exactly this tree.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := openLocked()
			if err != nil {
				return err
			}
			defer p.Unlock()
			return export(p, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite patches that were changed since the tree was made from them")
	return cmd
}

func export(p *project.Project, force bool) error {
	t := treeOf(p, p.Base())
	if !t.Exists() {
		return hint.Errorf("make apply", "there is no %s to export", t.Name)
	}
	if err := t.Settled(); err != nil {
		return err
	}
	patches, err := t.Series()
	if err != nil {
		return err
	}
	if len(patches) == 0 {
		return hint.Errorf("git -C "+t.Name+" reflog   (to find lost commits)\nmake apply FORCE=1", "%s holds no commit on top of upstream: exporting it would delete the series", t.Name)
	}
	old, err := oldSeries(p)
	if err != nil {
		return err
	}
	rel, err := fetch(p, p.Base())
	if err != nil {
		return err
	}
	if err := reproduces(t, rel, patches); err != nil {
		return err
	}
	s := old.With(patches)
	if series.Same(old.Patches, patches) {
		say("patches/ is up to date")
	} else {
		if was := t.State().Patches; !force && len(old.Patches) > 0 && was != old.Sum() {
			return hint.Errorf("git log -p patches   (and git diff patches: which side is right?)\nmake apply FORCE=1   (patches/ is: drops the commits in "+t.Name+")\nmake export FORCE=1   ("+t.Name+" is: overwrites patches/)",
				"patches/ has changed since %s was made from it: exporting would overwrite that", t.Name)
		}
		if err := write(p, s); err != nil {
			return err
		}
		report(old.Patches, patches)
	}
	state := tree.State{Input: input(rel, s), Patches: s.Sum()}
	if state.Head, err = t.Head(); err != nil {
		return err
	}
	return t.SetState(state)
}

// oldSeries is what patches/ holds now; a project may begin without any.
func oldSeries(p *project.Project) (*series.Series, error) {
	if entries, err := os.ReadDir(p.Patches()); err == nil {
		for _, e := range entries {
			if series.Owns(e.Name()) {
				return series.Load(p.Patches())
			}
		}
	}
	return series.New(), nil
}

// reproduces makes sure that the patches give the tree back: git am would, for one, cut a message at a line of three dashes.
func reproduces(t tree.Tree, rel *release.Release, patches []series.Patch) error {
	tmp, err := project.Temp(t.Dir)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	again := t
	again.Dir = tmp
	next := "git -C " + t.Name + " rebase -i upstream/" + t.Release + "   (and reword or edit that commit)"
	if err := again.Assemble(rel, patches, true); err != nil {
		return hint.Errorf(next, "a commit in %s does not survive export and apply, nothing was written:\n%s", t.Name, err)
	}
	want, err := t.ID()
	if err != nil {
		return err
	}
	got, err := again.ID()
	if err == nil && got != want {
		return hint.Errorf("make apply FORCE=1   (makes it anew; save your commits with git format-patch first)", "the commit upstream/%s in %s is not upstream's release: its files differ from those that are pinned", t.Release, t.Name)
	}
	return err
}

// write puts the series in place, beside whatever else lies in patches/.
func write(p *project.Project, s *series.Series) error {
	tmp, err := project.Temp(p.Patches())
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	entries, err := os.ReadDir(p.Patches())
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		if series.Owns(e.Name()) {
			continue
		}
		from, to := filepath.Join(p.Patches(), e.Name()), filepath.Join(tmp, e.Name())
		if e.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else if data, readErr := os.ReadFile(from); readErr != nil {
			err = readErr
		} else {
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := s.Write(tmp); err != nil {
		return err
	}
	return project.Swap(tmp, p.Patches())
}

func report(old, patches []series.Patch) {
	was := map[string][]byte{}
	for _, p := range old {
		was[p.ID] = p.Data
	}
	for _, p := range patches {
		data, there := was[p.ID]
		delete(was, p.ID)
		switch {
		case !there:
			say("new      patches/%s", p.File())
		case !bytes.Equal(data, p.Data):
			say("changed  patches/%s", p.File())
		}
	}
	for _, p := range old {
		if _, gone := was[p.ID]; gone {
			say("removed  patches/%s", p.File())
		}
	}
	say("patches/ holds %s", patchCount(len(patches)))
}

func patchCount(n int) string {
	if n == 1 {
		return "1 patch"
	}
	return fmt.Sprintf("%d patches", n)
}
