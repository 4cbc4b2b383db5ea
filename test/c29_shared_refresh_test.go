package test

import (
	"fmt"
	"strings"
	"sync"
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
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				if err := client.RefreshMetadata(fmt.Sprint("good", i)); err != nil {
					t.Errorf("good%d: %v", i, err)
				}
			})
			all.Go(func() {
				err := client.RefreshMetadata(fmt.Sprint("bad", i))
				if err == nil || !strings.Contains(err.Error(), fmt.Sprint("bad", i)) {
					t.Errorf("bad%d: %v", i, err)
					return
				}
				for j := range 10 {
					if j != i && strings.Contains(err.Error(), fmt.Sprint("bad", j)) {
						t.Errorf("bad%d got the error of bad%d: %v", i, j, err)
					}
				}
			})
		}
		_, _ = within(t, long, "shared refreshes", func() error {
			all.Wait()
			return nil
		})
	}
}
