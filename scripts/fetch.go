package main

import (
	"github.com/spf13/cobra"

	"sarama-fanout/scripts/internal/project"
	"sarama-fanout/scripts/internal/release"
)

func fetchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "fetch [RELEASE]",
		Short: "Download a pinned release (default: the base) and check it against its pin",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := open()
			if err != nil {
				return err
			}
			_, err = fetch(p, arg(args))
			return err
		},
	}
}

func fetch(p *project.Project, version string) (*release.Release, error) {
	version, err := p.Release(version)
	if err != nil {
		return nil, err
	}
	rel, err := release.Fetch(p.Upstream(), version)
	if err != nil {
		return nil, err
	}
	say("%s is as pinned: %s", rel.Version, rel.Sum)
	return rel, nil
}
