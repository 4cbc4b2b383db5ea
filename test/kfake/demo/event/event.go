// Package event is what the demo's client program tells the launcher: one JSON object a line on its standard output.
package event

import "time"

// Kind says what happened. The text is what stands in the JSON.
type Kind string

const (
	// Ready: the program is up and waits for the word to start. Detail says which Sarama it was built against.
	Ready Kind = "ready"
	// Start: the refresh begins. All later times count from here.
	Start Kind = "start"
	// Dial: a broker is asked; the first step is to connect to it.
	Dial Kind = "dial"
	// Connected: the broker took the connection.
	Connected Kind = "connected"
	// DialFailed: it did not. Detail has the error.
	DialFailed Kind = "dial failed"
	// Sent: a request was written. Detail names it.
	Sent Kind = "sent"
	// Answer: bytes came back. Detail names the request they answer.
	Answer Kind = "answer"
	// GaveUp: the read timeout passed without an answer. Detail names the request.
	GaveUp Kind = "gave up"
	// Closed: the client closed the connection.
	Closed Kind = "closed"
	// Done: the refresh succeeded. Detail says what the client knows now.
	Done Kind = "done"
	// Failed: the refresh failed. Detail has the error.
	Failed Kind = "failed"
)

// Event is one thing that happened in a client.
type Event struct {
	At     time.Duration `json:"at"`               // since Start, in nanoseconds
	Kind   Kind          `json:"kind"`             // what happened
	Broker int           `json:"broker,omitempty"` // which broker, counted from 1; 0: none
	Detail string        `json:"detail,omitempty"` // see the kinds
	Fanout string        `json:"fanout,omitempty"` // with Ready: the Fanout configuration; empty: this Sarama has none
}
