package test

import (
	"fmt"
	"strings"
	"testing"

	"sarama-fanout/test/faults"
)

// sarama PR#3532 and #374: callers that share a refresh get the errors of their own topics only, also when the answer came
// from an extra attempt.
func TestC29OwnErrorsOnly(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 4)
	for i := range 10 {
		cluster.SetTopic(fmt.Sprint("good", i), 1)
		cluster.SetTopic(fmt.Sprint("bad", i), 1)
	}
	playAll(cluster, 4, faults.Script{Metadata: func(_ faults.MetadataRequest, m faults.Metadata) faults.Metadata {
		for i, topic := range m.Topics {
			if topic.Name[0] == 'b' {
				m.Topics[i] = faults.Topic{Name: topic.Name, Err: faults.InvalidTopic}
			}
		}
		return m
	}})
	cfg := newConfig(net)
	cfg.Metadata.Full = false
	client := newClient(t, net, cfg, cluster.Addrs()...)
	if err := client.RefreshMetadata("good0"); err != nil {
		t.Fatal(err)
	}
	for round := range 6 {
		connect(t, client, 1, 2, 3)
		if round%3 == 2 {
			net.Set(faults.Silent, cluster.Addrs(1)...)
		} else {
			net.Set(faults.Healthy, cluster.Addrs(1)...)
		}
		var all crowd
		for i := range 10 {
			all.do(func() error { return client.RefreshMetadata(fmt.Sprint("good", i)) })
			all.do(func() error {
				err := client.RefreshMetadata(fmt.Sprint("bad", i))
				if err == nil || !strings.Contains(err.Error(), fmt.Sprint("bad", i)) {
					return fmt.Errorf("bad%d: got %w", i, err)
				}
				for j := range 10 {
					if j != i && strings.Contains(err.Error(), fmt.Sprint("bad", j)) {
						return fmt.Errorf("bad%d got the error of bad%d: %w", i, j, err)
					}
				}
				return nil
			})
		}
		all.wait(t, long, "shared refreshes")
	}
}
