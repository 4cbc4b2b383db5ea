package faults

import "fmt"

// Mode is what a client meets at one address.
type Mode int

const (
	// Healthy passes everything on to the real listener.
	Healthy Mode = iota
	// Hole lets a dial hang, as packets that are dropped do. It ends when the mode changes, when the test ends, or after
	// HoleTimeout of its own; nothing the client does ends it. Open connections are frozen.
	Hole
	// Refused fails a dial at once, as a closed port does. Open connections are reset.
	Refused
	// Reset accepts a dial, then fails each read and write with ECONNRESET. Open connections are reset.
	Reset
	// Silent accepts dials and takes bytes, but delivers none.
	Silent
	// Frozen accepts dials, but neither takes nor delivers bytes.
	Frozen
	// Trickle takes bytes and delivers the first HeaderSize bytes of the next answer, then none.
	Trickle
	// Unresolvable fails a dial at once, as a name that DNS does not know does.
	Unresolvable
	// Quota serves one new connection per QuotaInterval and hangs up on all others right after accepting them.
	Quota
)

// Hung lists the modes in which a client gets no answer and no error either. Hole and Frozen never even take the request.
func Hung() []Mode { return []Mode{Hole, Silent, Frozen, Trickle} }

func (m Mode) String() string {
	names := [...]string{"healthy", "hole", "refused", "reset", "silent", "frozen", "trickle", "unresolvable", "quota"}
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("mode %d", int(m))
}

// delivers says whether bytes from the broker reach the client.
func (m Mode) delivers() bool { return m == Healthy || m == Quota || m == Unresolvable }

// takes says whether bytes from the client are accepted.
func (m Mode) takes() bool { return m != Frozen && m != Hole }
