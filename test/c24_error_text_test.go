package test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// sarama#2128 and PR#2131: five brokers fail in five ways. The one error names all addresses and causes; upstream drops
// KErrors and empty answers and never names an address. The order is stable, so that the text can be compared and grouped.
func TestC24OneErrorNamesAll(t *testing.T) {
	t.Parallel()
	net := faults.New(t)
	cluster := faults.NewCluster(t, 5)
	addr := func(id int32) string { return cluster.Broker(id).Addr }
	net.Set(faults.Refused, addr(1))
	net.Set(faults.Reset, addr(2))
	net.Set(faults.Silent, addr(3))
	cluster.Broker(4).Play(faults.Script{HandshakeErr: faults.UnsupportedMechanism})
	cluster.Broker(5).Play(faults.Script{Metadata: empty})
	cfg := newConfig(net)
	useSASL(cfg)
	cfg.Metadata.Retry.Max = 0
	cfg.Metadata.Timeout = 4 * delay
	causes := map[string]string{
		addr(1): "refused", addr(2): "reset", addr(4): sarama.ErrUnsupportedSASLMechanism.Error(),
		addr(3): "", addr(5): "", // silence and emptiness have no words of upstream's
	}
	var orders [][]string
	for range 4 { // the seeds are in another order each time
		_, err := within(t, long, "NewClient", func() error {
			_, err := sarama.NewClient(cluster.Addrs(), cfg)
			return err
		})
		mustBe(t, err, sarama.ErrOutOfBrokers)
		mustName(t, err, cluster.Addrs()...)
		for a, cause := range causes {
			mustSayOf(t, err, a, cause)
		}
		orders = append(orders, orderOf(err.Error(), cluster.Addrs()))
	}
	for _, o := range orders[1:] {
		if !slices.Equal(o, orders[0]) {
			t.Errorf("the addresses come in different orders: %v", orders)
			break
		}
	}
}

// mustSayOf fails unless a line of the error holds both the address and the cause.
func mustSayOf(t *testing.T, err error, addr, cause string) {
	t.Helper()
	for line := range strings.Lines(err.Error()) {
		if strings.Contains(line, addr) && strings.Contains(line, cause) {
			return
		}
	}
	t.Errorf("no line says %q of %s: %v", cause, addr, err)
}

func orderOf(text string, words []string) []string {
	sorted := slices.Clone(words)
	slices.SortFunc(sorted, func(a, b string) int { return strings.Index(text, a) - strings.Index(text, b) })
	return sorted
}

// Each cause says in which phase the attempt was and how long it was waited for.
func TestErrorsNamePhaseAndWait(t *testing.T) {
	t.Parallel()
	words := map[string]string{
		"dial": "connecting", "ApiVersions": "handshake", "TLS": "handshake", "SASL handshake": "handshake",
		"SASL authenticate": "handshake", "read": "waiting for the answer",
	}
	for name, phase := range phases() {
		word, ok := words[name]
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := phase(t)
			p.cfg.Metadata.Timeout = 3 * delay
			_, err := within(t, long, "NewClient", func() error {
				_, err := sarama.NewClient(p.addrs, p.cfg)
				return err
			})
			mustBe(t, err, sarama.ErrOutOfBrokers)
			for _, a := range p.addrs {
				mustSayOf(t, err, a, word)
			}
			if !waited(err.Error()) {
				t.Errorf("the error does not say how long it waited: %v", err)
			}
		})
	}
}

// waited finds a duration in Go's notation that is longer than half the timeout: the first attempt waited that long.
func waited(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;:()\n", r) }) {
		if d, err := time.ParseDuration(word); err == nil && d > 3*delay/2 && d < 3*delay+slack {
			return true
		}
	}
	return false
}
