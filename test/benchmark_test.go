package test

import (
	"fmt"
	"testing"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// BenchmarkHealthyRefresh is one refresh on a healthy cluster of five with one connection open: what nearly every refresh of
// a client's life is. Built against unpatched and patched Sarama it shows what the fanout costs when it has nothing to do.
// The connections are plain ones, for the books of faults.Net would grow with each request.
func BenchmarkHealthyRefresh(b *testing.B) {
	for _, topics := range []int{1, 100} {
		b.Run(fmt.Sprintf("topics=%d", topics), func(b *testing.B) {
			cluster := faults.NewCluster(b, 5)
			for i := range topics {
				cluster.SetTopic(fmt.Sprint("t", i), 1, 2, 3)
			}
			cfg := sarama.NewConfig()
			cfg.Metadata.RefreshFrequency = 0
			client, err := sarama.NewClient(cluster.Addrs(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = client.Close() }()
			connect(b, client, ids(1, 5)...) // upstream opens all of them sooner or later
			if err := client.RefreshMetadata(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := client.RefreshMetadata(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
