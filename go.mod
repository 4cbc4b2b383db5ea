module sarama-fanout

go 1.26

require (
	github.com/IBM/sarama v1.61.1
	github.com/rcrowley/go-metrics v0.0.0-20250401214520-65e299d6c5c9
	github.com/stretchr/testify v1.12.1
)

// The patched tree, built by make. A program of yours needs the same line with the path that make prints.
replace github.com/IBM/sarama => ./upstream/sarama
