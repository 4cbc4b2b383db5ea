package faults

import (
	"net"
	"strconv"
	"time"
)

// Kafka's error codes that the tests use.
const (
	NoError                  int16 = 0
	UnknownTopic             int16 = 3
	LeaderNotAvailable       int16 = 5
	InvalidTopic             int16 = 17
	TopicAuthorizationFailed int16 = 29
	UnsupportedMechanism     int16 = 33
	InvalidReplicationFactor int16 = 38
	SaslAuthenticationFailed int16 = 58
)

// Metadata is the answer to a metadata request.
type Metadata struct {
	Throttle   time.Duration
	ClusterID  string
	Controller int32
	Nodes      []Node
	Topics     []Topic
}

// Node is a broker as an answer names it.
type Node struct {
	ID   int32
	Addr string
}

// Topic is a topic as an answer describes it.
type Topic struct {
	Err        int16
	Name       string
	Partitions []Partition
}

// Partition is a partition as an answer describes it.
type Partition struct {
	Err    int16
	ID     int32
	Leader int32
}

// WithErr returns the answer with every requested topic replaced by one that has only this error.
func (m Metadata) WithErr(code int16) Metadata {
	topics := make([]Topic, 0, len(m.Topics))
	for _, t := range m.Topics {
		topics = append(topics, Topic{Err: code, Name: t.Name})
	}
	m.Topics = topics
	return m
}

// Leaderless returns the answer with no partition having a leader.
func (m Metadata) Leaderless() Metadata {
	topics := make([]Topic, 0, len(m.Topics))
	for _, t := range m.Topics {
		parts := make([]Partition, 0, len(t.Partitions))
		for _, p := range t.Partitions {
			parts = append(parts, Partition{Err: LeaderNotAvailable, ID: p.ID, Leader: -1})
		}
		t.Partitions = parts
		topics = append(topics, t)
	}
	m.Topics = topics
	return m
}

func (m Metadata) encode(version int16) []byte {
	e := encoder{flex: version >= 9}
	if version >= 3 {
		e.int32(int32(m.Throttle / time.Millisecond))
	}
	e.length(len(m.Nodes))
	for _, n := range m.Nodes {
		host, port, _ := net.SplitHostPort(n.Addr)
		num, _ := strconv.Atoi(port)
		e.int32(n.ID)
		e.string(host)
		e.int32(int32(num))
		if version >= 1 {
			e.null() // rack
		}
		e.tags()
	}
	if version >= 2 {
		e.string(m.ClusterID)
	}
	if version >= 1 {
		e.int32(m.Controller)
	}
	e.length(len(m.Topics))
	for _, t := range m.Topics {
		t.encode(&e, version)
	}
	if version >= 8 && version <= 10 {
		e.int32(0) // cluster's authorized operations
	}
	e.tags()
	return e.b
}

func (t Topic) encode(e *encoder, version int16) {
	e.int16(t.Err)
	e.string(t.Name)
	if version >= 10 {
		e.b = append(e.b, make([]byte, 16)...) // topic id
	}
	if version >= 1 {
		e.bool(false) // internal
	}
	e.length(len(t.Partitions))
	for _, p := range t.Partitions {
		replicas := []int32{p.Leader}
		if p.Leader < 0 {
			replicas = nil
		}
		e.int16(p.Err)
		e.int32(p.ID)
		e.int32(p.Leader)
		if version >= 7 {
			e.int32(0) // leader's epoch
		}
		e.int32s(replicas)
		e.int32s(replicas)
		if version >= 5 {
			e.int32s(nil)
		}
		e.tags()
	}
	if version >= 8 {
		e.int32(0) // topic's authorized operations
	}
	e.tags()
}
