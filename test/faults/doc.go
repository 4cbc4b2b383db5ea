// Package faults makes the network and the brokers of a test misbehave on command.
//
// It has two halves, which know nothing of each other:
//
//   - Net is a dialer for Config.Net.Proxy. It sits between the client and whatever listens at an address and gives each
//     address a Mode that may change at any time: a hole, refused, silent, frozen and so on. It also keeps the books from
//     the client's side: dials, dials at once, open connections, and each Kafka request written, with its time.
//   - Cluster is a set of small scripted brokers on loopback listeners that speak the few Kafka requests a client needs
//     to find its cluster and to produce. Their answers can be replaced, held back, delayed or made of raw bytes.
//
// Why not sarama.MockBroker: it formats every request with spew before it answers (that would be most of a benchmark), runs
// every handler under one lock (a held answer stops the other connections), cannot send bytes that are no answer, and its
// methods differ between the releases that the series supports. Nothing here imports sarama, so the same harness drives
// patched and unpatched builds alike.
//
// Everything ends with the test: New and NewCluster register clean-ups that release whatever still hangs.
package faults
