// Pins of every supported release, in Go's own format: go.sum holds the h1: of each release and of its go.mod.
// A folder of its own, so that "go mod tidy" at the root never deletes a pin. Do not tidy this one: no package here
// imports anything, so tidy would drop them all.
module sarama-fanout/upstream

go 1.26

require github.com/IBM/sarama v1.61.1
