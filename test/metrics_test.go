package test

import (
	"testing"
	"time"

	"github.com/rcrowley/go-metrics"

	"sarama-fanout/test/faults"
)

// Each metric in Config.MetricRegistry is read after a scripted refresh: one broker connected and silent, so that there is
// one extra attempt, whose answer wins; then the loser answers and is dropped.
func TestMetrics(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3).SetTopic("t", 3)
	cfg := newConfig(net)
	if _, ok := faults.FanoutOf(cfg); !ok {
		t.Skip("this build has no Config.Metadata.Fanout")
	}
	client := newClient(t, net, cfg, cluster.Addrs(3)...)
	read := func() metricValues { return readMetrics(t, cfg.MetricRegistry) }
	start := read()
	if start.refreshes != 1 || start.asked != 1 || start.won != 1 || start.extra != 0 || start.inFlight != 0 {
		t.Errorf("after a healthy start: %+v", start)
	}
	connect(t, client, 1)
	hold := make(chan struct{})
	cluster.Broker(1).Play(faults.Script{Hold: map[int16]<-chan struct{}{faults.KeyMetadata: hold}})
	if err := client.RefreshMetadata("t"); err != nil {
		t.Fatal(err)
	}
	if now := read(); now.refreshes != 2 || now.asked != 2 || now.won != 2 || now.extra != 1 || now.latest < 350 {
		t.Errorf("after an extra attempt that won: %+v", now)
	}
	close(hold)
	eventually(t, "the loser's answer is dropped and nothing is in flight", func() bool {
		now := read()
		return now.dropped == 1 && now.inFlight == 0
	})
}

// metricValues are what the metrics of a client say.
type metricValues struct {
	refreshes int64 // refreshes measured
	latest    int64 // longest of them, in ms
	asked     int64 // most brokers asked by one
	won       int64 // last position that won
	extra     int64
	dropped   int64
	inFlight  int64
}

func readMetrics(t *testing.T, registry metrics.Registry) metricValues {
	t.Helper()
	histogram := func(name string) metrics.Histogram {
		h, ok := registry.Get(name).(metrics.Histogram)
		if !ok {
			t.Fatalf("no histogram %s, but %T", name, registry.Get(name))
		}
		return h
	}
	counter := func(name string) int64 {
		switch c := registry.Get(name).(type) {
		case nil:
			return 0 // counted nothing yet
		case metrics.Counter:
			return c.Count()
		default:
			t.Fatalf("%s is a %T, want a counter", name, c)
			return 0
		}
	}
	latency := histogram("metadata-refresh-latency-in-ms")
	return metricValues{
		refreshes: latency.Count(),
		latest:    latency.Max(),
		asked:     histogram("metadata-refresh-brokers-asked").Max(),
		won:       histogram("metadata-refresh-win-position").Max(),
		extra:     counter("metadata-refresh-extra-attempts"),
		dropped:   counter("metadata-refresh-answers-dropped"),
		inFlight:  counter("metadata-refresh-attempts-in-flight"),
	}
}

// eventually waits for what happens in the background after a call, and shows only in a metric.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Errorf("not within 5 s: %s", what)
}
