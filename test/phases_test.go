package test

import (
	"testing"

	"github.com/IBM/sarama"

	"sarama-fanout/test/faults"
)

// phase is a set of addresses at which every attempt hangs in the same place.
type phase struct {
	net   *faults.Net
	cfg   *sarama.Config
	addrs []string
}

// phases are the places in which an attempt can hang, with what a config needs to get there.
func phases() map[string]func(t *testing.T) phase {
	network := func(mode faults.Mode) func(t *testing.T) phase {
		return func(t *testing.T) phase {
			p := newPhase(t, faults.Script{})
			p.net.Set(mode, p.addrs...)
			return p
		}
	}
	mute := func(key int16) func(t *testing.T) phase {
		return func(t *testing.T) phase {
			p := newPhase(t, faults.Script{Mute: map[int16]bool{key: true}})
			if key == faults.KeySaslHandshake || key == faults.KeySaslAuthenticate {
				useSASL(p.cfg)
			}
			return p
		}
	}
	return map[string]func(t *testing.T) phase{
		"dial":              network(faults.Hole),
		"write":             network(faults.Frozen),
		"ApiVersions":       mute(faults.KeyAPIVersions),
		"SASL handshake":    mute(faults.KeySaslHandshake),
		"SASL authenticate": mute(faults.KeySaslAuthenticate),
		"read":              mute(faults.KeyMetadata),
		"TLS": func(t *testing.T) phase {
			p := newPhase(t, faults.Script{})
			p.net.Set(faults.Silent, p.addrs...)
			p.cfg.Net.TLS.Enable = true
			return p
		},
	}
}

func newPhase(t *testing.T, script faults.Script) phase {
	net := faults.New(t)
	cluster := faults.NewCluster(t, 3)
	for _, id := range ids(1, 3) {
		cluster.Broker(id).Play(script)
	}
	return phase{net: net, cfg: newConfig(net), addrs: cluster.Addrs()}
}

func useSASL(cfg *sarama.Config) {
	cfg.Net.SASL.Enable = true
	cfg.Net.SASL.User = "user"
	cfg.Net.SASL.Password = "secret"
}
