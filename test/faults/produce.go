package faults

import "strconv"

// notLeader is the error code for a produce to a broker that does not lead the partition.
const notLeader int16 = 6

// produce acknowledges a produce request of version 3 or older without keeping anything. Nil when it cannot be
// read or wants no answer: the connection is closed then.
func (b *Broker) produce(req Request) []byte {
	d := decoder{b: req.Body}
	if req.Version >= 3 {
		_ = d.string() // transactional id
	}
	acks := d.int16()
	d.int32() // timeout
	var e encoder
	topics := int(d.int32())
	e.length(topics)
	for range topics {
		name := d.string()
		e.string(name)
		parts := int(d.int32())
		e.length(parts)
		for range parts {
			id := d.int32()
			d.take(int(d.int32())) // records
			code := NoError
			if b.cluster.leader(name, id) != b.ID {
				code = notLeader
			}
			e.int32(id)
			e.int16(code)
			e.int64(0) // offset
			if req.Version >= 2 {
				e.int64(-1) // time
			}
		}
	}
	if req.Version >= 1 {
		e.int32(0) // throttle
	}
	if acks == 0 || d.bad {
		return nil
	}
	return e.b
}

func atoi32(s string) int32 {
	n, _ := strconv.ParseInt(s, 10, 32)
	return int32(n)
}
