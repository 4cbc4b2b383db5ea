package main

import (
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// timeline is what is known of both clients. It is fed with events and drawn by a screen.
type timeline struct {
	expected time.Duration // how long the slower side should take: the first guess at the scale
	sides    [2]sideline
}

// sideline is one client's part.
type sideline struct {
	subtitle string
	spans    [brokerCount + 1][]span // by broker, counted from 1
	log      []event.Event           // what is worth a line
	end      event.Event             // Done or Failed, once it has come
}

// span is the time from asking a broker to knowing, or no longer caring, what it says.
type span struct {
	from, to time.Duration
	silent   []time.Duration // when a request to it timed out
	how      outcome
}

type outcome int

const (
	waiting  outcome = iota
	gaveUp           // given up after the last timeout, or not reachable
	answered         // with metadata
	left             // another broker had answered
)

func newTimeline(expected time.Duration) *timeline { return &timeline{expected: expected} }

func (s *sideline) finished() bool { return s.end.Kind != "" }

func (tl *timeline) finished() bool { return tl.sides[0].finished() && tl.sides[1].finished() }

// open is the span of a broker that is being waited for.
func (s *sideline) open(broker int) *span {
	spans := s.spans[broker]
	if len(spans) == 0 || spans[len(spans)-1].how != waiting {
		return nil
	}
	return &spans[len(spans)-1]
}

// asked are the brokers being waited for.
func (s *sideline) asked() []int {
	var brokers []int
	for broker := 1; broker <= brokerCount; broker++ {
		if s.open(broker) != nil {
			brokers = append(brokers, broker)
		}
	}
	return brokers
}

// add takes an event in. Events of brokers that no longer matter change nothing.
func (tl *timeline) add(side int, e event.Event) {
	s := &tl.sides[side]
	if s.finished() || e.Broker < 0 || e.Broker > brokerCount {
		return
	}
	sp := s.open(e.Broker)
	if sp == nil && e.Broker > 0 && e.Kind != event.Dial {
		return
	}
	finish := func(how outcome) {
		sp.to, sp.how = e.At, how
		s.log = append(s.log, e)
	}
	switch e.Kind {
	case event.Dial:
		if sp == nil {
			s.spans[e.Broker] = append(s.spans[e.Broker], span{from: e.At})
			s.log = append(s.log, e)
		}
	case event.GaveUp:
		sp.silent = append(sp.silent, e.At)
		s.log = append(s.log, e)
	case event.DialFailed, event.Closed:
		finish(gaveUp)
	case event.Answer:
		if e.Detail == "Metadata" {
			finish(answered)
		}
	case event.Done, event.Failed:
		for _, broker := range s.asked() {
			sp = s.open(broker)
			sp.to, sp.how = e.At, left
		}
		s.end = e
		s.log = append(s.log, e)
	}
}
