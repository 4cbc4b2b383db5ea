package faults

import "encoding/binary"

// decoder reads Kafka's primitive types. After the first shortage it is bad and yields zeros.
type decoder struct {
	b    []byte
	flex bool
	bad  bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.b) {
		d.bad = true
		return nil
	}
	p := d.b[:n]
	d.b = d.b[n:]
	return p
}

func (d *decoder) int16() int16 {
	if p := d.take(2); p != nil {
		return int16(binary.BigEndian.Uint16(p))
	}
	return 0
}

func (d *decoder) int32() int32 {
	if p := d.take(4); p != nil {
		return int32(binary.BigEndian.Uint32(p))
	}
	return 0
}

func (d *decoder) bool() bool {
	p := d.take(1)
	return p != nil && p[0] != 0
}

func (d *decoder) uvarint() int {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return int(v)
}

// length reads the length of an array; -1 is null.
func (d *decoder) length() int {
	if d.flex {
		return d.uvarint() - 1
	}
	return int(d.int32())
}

// string reads a string that may be null; null reads as "".
func (d *decoder) string() string {
	n := 0
	if d.flex {
		n = d.uvarint() - 1
	} else {
		n = int(d.int16())
	}
	if n <= 0 {
		return ""
	}
	return string(d.take(n))
}

func (d *decoder) tags() {
	if !d.flex {
		return
	}
	for range d.uvarint() {
		d.uvarint()
		d.take(d.uvarint())
		if d.bad {
			return
		}
	}
}

// encoder writes Kafka's primitive types.
type encoder struct {
	b    []byte
	flex bool
}

func (e *encoder) int16(v int16) { e.b = binary.BigEndian.AppendUint16(e.b, uint16(v)) }
func (e *encoder) int32(v int32) { e.b = binary.BigEndian.AppendUint32(e.b, uint32(v)) }
func (e *encoder) int64(v int64) { e.b = binary.BigEndian.AppendUint64(e.b, uint64(v)) }
func (e *encoder) bool(v bool) {
	if v {
		e.b = append(e.b, 1)
		return
	}
	e.b = append(e.b, 0)
}

func (e *encoder) length(n int) {
	if e.flex {
		e.b = binary.AppendUvarint(e.b, uint64(n+1))
		return
	}
	e.int32(int32(n))
}

func (e *encoder) string(s string) {
	if e.flex {
		e.b = binary.AppendUvarint(e.b, uint64(len(s)+1))
	} else {
		e.int16(int16(len(s)))
	}
	e.b = append(e.b, s...)
}

func (e *encoder) null() {
	if e.flex {
		e.b = append(e.b, 0)
		return
	}
	e.int16(-1)
}

func (e *encoder) int32s(v []int32) {
	e.length(len(v))
	for _, x := range v {
		e.int32(x)
	}
}

func (e *encoder) tags() {
	if e.flex {
		e.b = append(e.b, 0)
	}
}
