package test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"sarama-fanout/test/faults"
)

// sarama#2518 and #1711: all brokers are gone and many refresh at once. One that shares another's round, or comes between
// two, must not be told that all is well.
func TestC17NoRefreshOfDeadBrokersSucceeds(t *testing.T) {
	t.Parallel()
	for _, single := range []bool{true, false} {
		for _, mode := range []faults.Mode{faults.Refused, faults.Reset} {
			t.Run(fmt.Sprintf("SingleFlight=%v/%v", single, mode), func(t *testing.T) {
				t.Parallel()
				net := faults.New(t)
				cluster := faults.NewCluster(t, 3).SetTopic("t", 1)
				cfg := newConfig(net)
				cfg.Metadata.SingleFlight = single
				cfg.Metadata.Retry.Max = 2
				cfg.Metadata.Retry.Backoff = 10 * time.Millisecond
				client := newClient(t, net, cfg, cluster.Addrs()...)
				connect(t, client, 1, 2, 3)
				cluster.Close()
				net.Set(mode, cluster.Addrs()...)
				var all crowd
				for range 20 {
					all.do(func() error {
						if err := client.RefreshMetadata("t"); err == nil {
							return errors.New("a refresh without any broker succeeded")
						}
						return nil
					})
				}
				all.wait(t, 2*long, "20 refreshes")
			})
		}
	}
}
