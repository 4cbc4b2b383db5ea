package test

import (
	"testing"

	"sarama-fanout/test/faults"
)

// sarama PR#1983 and Burrow PR#359: a metadata request may create topics on the broker. A client that forbids it must do so
// on every request, the extra ones too; a request for all topics never creates any.
func TestC23NoTopicIsCreated(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		net := faults.New(t)
		cluster := faults.NewCluster(t, 4).SetTopic("t", 1)
		cfg := newConfig(net)
		cfg.Metadata.AllowAutoTopicCreation = allowed
		client := newClient(t, net, cfg, cluster.Addrs()...)
		connect(t, client, 1, 2)
		net.Set(faults.Silent, cluster.Addrs(1, 2)...)
		_, err := within(t, long, "refreshes", func() error {
			if err := client.RefreshMetadata("t"); err != nil {
				return err
			}
			return client.RefreshMetadata()
		})
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, r := range net.Total(cluster.Addrs()...).Requests {
			if r.Key != faults.KeyMetadata {
				continue
			}
			if !r.Metadata.All {
				named++
			}
			if want := allowed && !r.Metadata.All; r.Metadata.AutoTopic != want {
				t.Errorf("allowed=%v, request for %v (all=%v): auto creation is %v", allowed, r.Metadata.Topics, r.Metadata.All, r.Metadata.AutoTopic)
			}
		}
		if named < 2 {
			t.Errorf("%d requests for the topic: the extra attempt is missing", named)
		}
	}
}
