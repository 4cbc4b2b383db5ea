package faults

import (
	"reflect"
	"time"
)

// Fanout mirrors Config.Metadata.Fanout, which unpatched builds do not have. This file is the only place in the tests that
// names its fields; it finds them by reflection so that the same tests and benchmarks compile against both builds.
type Fanout struct {
	MaxInFlight int
	Delay       time.Duration
	Growth      float64
	Jitter      float64
}

// Apply sets the fields in config (a *sarama.Config) and reports whether the build has them.
func (f Fanout) Apply(config any) bool {
	v := fanoutOf(config)
	if !v.IsValid() {
		return false
	}
	v.FieldByName("MaxInFlight").SetInt(int64(f.MaxInFlight))
	v.FieldByName("Delay").SetInt(int64(f.Delay))
	v.FieldByName("Growth").SetFloat(f.Growth)
	v.FieldByName("Jitter").SetFloat(f.Jitter)
	return true
}

// FanoutOf reads the fields from config and reports whether the build has them.
func FanoutOf(config any) (Fanout, bool) {
	v := fanoutOf(config)
	if !v.IsValid() {
		return Fanout{}, false
	}
	return Fanout{
		MaxInFlight: int(v.FieldByName("MaxInFlight").Int()),
		Delay:       time.Duration(v.FieldByName("Delay").Int()),
		Growth:      v.FieldByName("Growth").Float(),
		Jitter:      v.FieldByName("Jitter").Float(),
	}, true
}

func fanoutOf(config any) reflect.Value {
	return reflect.ValueOf(config).Elem().FieldByName("Metadata").FieldByName("Fanout")
}
