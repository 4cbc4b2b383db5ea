package faults

import (
	"encoding/binary"
	"time"
)

// Keys of the Kafka requests that the harness knows.
const (
	KeyProduce          int16 = 0
	KeyFetch            int16 = 1
	KeyMetadata         int16 = 3
	KeyFindCoordinator  int16 = 10
	KeySaslHandshake    int16 = 17
	KeyAPIVersions      int16 = 18
	KeySaslAuthenticate int16 = 36
)

// Request is a Kafka request as it was written by the client.
type Request struct {
	At            time.Time
	Conn          int // number of the connection, over all addresses
	Key           int16
	Version       int16
	CorrelationID int32
	ClientID      string
	Metadata      MetadataRequest // set when Key is KeyMetadata
	Body          []byte
}

// MetadataRequest is what a metadata request asks for.
type MetadataRequest struct {
	All       bool // all topics
	Topics    []string
	AutoTopic bool // the broker may create topics
}

// framer cuts what is written to a connection into requests. Bytes that are no Kafka requests (TLS) switch it off.
type framer struct {
	conn int
	buf  []byte
	off  bool
}

func (f *framer) feed(p []byte) []Request {
	if f.off {
		return nil
	}
	f.buf = append(f.buf, p...)
	var out []Request
	for len(f.buf) >= 4 {
		size := int(int32(binary.BigEndian.Uint32(f.buf)))
		if size < 8 || size > 64<<20 {
			f.off = true
			break
		}
		if len(f.buf) < 4+size {
			break
		}
		req, ok := parseRequest(append([]byte(nil), f.buf[4:4+size]...))
		if !ok {
			f.off = true
			break
		}
		req.At, req.Conn = time.Now(), f.conn
		out = append(out, req)
		f.buf = f.buf[4+size:]
	}
	return out
}

// parseRequest reads the header of a request, and the body when it is one for metadata.
func parseRequest(frame []byte) (Request, bool) {
	d := decoder{b: frame}
	r := Request{Key: d.int16(), Version: d.int16(), CorrelationID: d.int32(), ClientID: d.string()}
	if d.bad || r.Key < 0 || r.Key > 200 {
		return r, false
	}
	if flexible(r.Key, r.Version) {
		d.flex = true
		d.tags()
	}
	r.Body = d.b
	if r.Key == KeyMetadata {
		r.Metadata = parseMetadata(d, r.Version)
	}
	return r, !d.bad
}

func parseMetadata(d decoder, version int16) MetadataRequest {
	var m MetadataRequest
	n := d.length()
	m.All = n < 0 || version == 0 && n == 0
	for range max(n, 0) {
		if d.bad {
			break
		}
		if version >= 10 {
			d.take(16)
		}
		m.Topics = append(m.Topics, d.string())
		d.tags()
	}
	m.AutoTopic = version < 4 // older brokers decide by themselves
	if version >= 4 {
		m.AutoTopic = d.bool()
	}
	return m
}

// flexible says whether a request has compact strings and tagged fields.
func flexible(key, version int16) bool {
	first := map[int16]int16{
		KeyProduce: 9, KeyMetadata: 9, KeyFindCoordinator: 3, KeyAPIVersions: 3, KeySaslAuthenticate: 2, KeyFetch: 12,
	}
	v, ok := first[key]
	return ok && version >= v
}
