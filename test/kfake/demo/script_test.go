package main

import (
	"time"

	"sarama-fanout/test/kfake/demo/event"
)

// scripted is a run of both clients with timeouts of 1 s, in round figures, up to a moment.
func scripted(until time.Duration) *timeline {
	tl := newTimeline(worstCase(time.Second))
	tl.sides[unpatched].subtitle = "one broker after another"
	tl.sides[patched].subtitle = "jittered fanout"
	feed := func(side int, ms int, kind event.Kind, broker int, detail string) {
		at := time.Duration(ms) * time.Millisecond
		if at <= until {
			tl.add(side, event.Event{At: at, Kind: kind, Broker: broker, Detail: detail})
		}
	}
	answers := func(side, ms, broker int) {
		feed(side, ms, event.Dial, broker, "")
		feed(side, ms, event.Connected, broker, "")
		feed(side, ms, event.Sent, broker, "ApiVersions")
		feed(side, ms, event.Answer, broker, "ApiVersions")
		feed(side, ms, event.Sent, broker, "Metadata")
		feed(side, ms, event.Answer, broker, "Metadata")
		feed(side, ms, event.Done, 0, "5 brokers known")
	}
	for i, broker := range []int{1, 2, 3} {
		began := 3000 * i
		feed(unpatched, began, event.Dial, broker, "")
		feed(unpatched, began, event.Connected, broker, "")
		for try, request := range []string{"ApiVersions", "ApiVersions", "Metadata"} {
			feed(unpatched, began+1000*try, event.Sent, broker, request)
			feed(unpatched, began+1000*(try+1), event.GaveUp, broker, request)
		}
		feed(unpatched, began+3000, event.Closed, broker, "")

		feed(patched, 500*i, event.Dial, broker, "")
		feed(patched, 500*i, event.Connected, broker, "")
		feed(patched, 500*i, event.Sent, broker, "ApiVersions")
	}
	answers(unpatched, 9000, 4)
	answers(patched, 1500, 4)
	// What a loser does later is no part of the refresh.
	feed(patched, 1501, event.Closed, 1, "")
	feed(patched, 1502, event.Dial, 5, "")
	return tl
}
