package test

import (
	"math"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/stretchr/testify/assert"

	"sarama-fanout/test/faults"
)

// Each bad value is a ConfigurationError that names its field; the edges of what is allowed are not.
func TestFanoutIsValidated(t *testing.T) {
	t.Parallel()
	good := faults.Fanout{MaxInFlight: 5, Delay: delay, Growth: 1, Jitter: jitter}
	with := func(change func(f *faults.Fanout)) faults.Fanout {
		f := good
		change(&f)
		return f
	}
	cases := []struct {
		field string // "" when it is fine
		value faults.Fanout
	}{
		{"", good},
		{"", faults.Fanout{}},
		{"", with(func(f *faults.Fanout) { f.MaxInFlight = 0 })},
		{"", with(func(f *faults.Fanout) { f.MaxInFlight = 1 })},
		{"", with(func(f *faults.Fanout) { f.Delay = 0 })},
		{"", with(func(f *faults.Fanout) { f.Growth = 3.5 })},
		{"", with(func(f *faults.Fanout) { f.Jitter = 0 })},
		{"", with(func(f *faults.Fanout) { f.Jitter = 1 })},
		{"MaxInFlight", with(func(f *faults.Fanout) { f.MaxInFlight = -1 })},
		{"Delay", with(func(f *faults.Fanout) { f.Delay = -time.Millisecond })},
		{"Growth", with(func(f *faults.Fanout) { f.Growth = 0.99 })},
		{"Growth", with(func(f *faults.Fanout) { f.Growth = -1 })},
		{"Growth", with(func(f *faults.Fanout) { f.Growth = math.NaN() })},
		{"Growth", with(func(f *faults.Fanout) { f.Growth = math.Inf(1) })},
		{"Jitter", with(func(f *faults.Fanout) { f.Jitter = -0.1 })},
		{"Jitter", with(func(f *faults.Fanout) { f.Jitter = 1.01 })},
		{"Jitter", with(func(f *faults.Fanout) { f.Jitter = math.NaN() })},
		{"Jitter", with(func(f *faults.Fanout) { f.Jitter = math.Inf(1) })},
	}
	for _, c := range cases {
		cfg := sarama.NewConfig()
		setFanout(t, cfg, c.value)
		err := cfg.Validate()
		if c.field == "" {
			assert.NoErrorf(t, err, "%+v", c.value)
			continue
		}
		var bad sarama.ConfigurationError
		assert.ErrorAsf(t, err, &bad, "%+v", c.value)
		assert.ErrorContainsf(t, err, "Fanout."+c.field, "the error of %+v does not name the field", c.value)
	}
}

func TestFanoutDefaults(t *testing.T) {
	t.Parallel()
	got, ok := faults.FanoutOf(sarama.NewConfig())
	if !ok {
		t.Skip("this build has no Config.Metadata.Fanout")
	}
	if want := (faults.Fanout{MaxInFlight: 5, Delay: delay, Growth: 1, Jitter: jitter}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
