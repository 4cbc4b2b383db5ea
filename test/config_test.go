package test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

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
		var bad sarama.ConfigurationError
		switch {
		case c.field == "" && err != nil:
			t.Errorf("%+v: %v", c.value, err)
		case c.field != "" && !errors.As(err, &bad):
			t.Errorf("%+v: got %v, want a ConfigurationError", c.value, err)
		case c.field != "" && !strings.Contains(err.Error(), "Fanout."+c.field):
			t.Errorf("%+v: the error does not name Fanout.%s: %v", c.value, c.field, err)
		}
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
