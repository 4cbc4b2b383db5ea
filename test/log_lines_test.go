package test

import (
	"strings"
	"testing"

	"sarama-fanout/test/faults"
)

// One log line per extra attempt, which says why (a delay or a failure), and one for the decision.
func TestLogLines(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]faults.Mode{"delay": faults.Silent, "failure": faults.Reset} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := faults.New(t)
			cluster := faults.NewCluster(t, 2).SetTopic("t", 2)
			if _, ok := faults.FanoutOf(newConfig(net)); !ok {
				t.Skip("this build has no Config.Metadata.Fanout")
			}
			client := newClient(t, net, newConfig(net), cluster.Addrs(2)...)
			connect(t, client, 1)
			net.Set(mode, cluster.Addrs(1)...)
			good := logs.follow(t, cluster.Broker(2).Addr)
			if err := client.RefreshMetadata("t"); err != nil {
				t.Fatal(err)
			}
			var extra []string
			for _, line := range good() {
				if strings.HasPrefix(line, "client/metadata") && strings.Contains(line, "ask") {
					extra = append(extra, line)
				}
			}
			why := map[string][]string{"delay": {"delay", "silent", "not answered", "no answer"}, "failure": {"fail"}}[name]
			if len(extra) == 0 || !anyIn(extra[0], why) {
				t.Errorf("no line says that %s is asked because of a %s: %q", cluster.Broker(2).Addr, name, good())
			}
		})
	}
}

func anyIn(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
