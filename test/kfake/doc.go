// Package kfake holds the tests that need brokers with a state: partitions whose leaders move, consumer groups and their
// coordinators. The brokers are those of github.com/twmb/franz-go/pkg/kfake, in this process; the faults are those of
// sarama-fanout/test/faults, on the client's side of each connection. It is a module of its own so that nobody who only
// wants the patched client has to fetch franz-go.
package kfake
