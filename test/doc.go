// Package test holds the black-box tests of the patched client: each case C1 to C32 as a test named after it, and further
// cases that follow from the same rules. They use Sarama's public API alone, on loopback, with faults made by the package
// faults. Unless a test says otherwise, Sarama's default network timeouts (30 s) and the default Fanout are kept, so that
// code that waits for a broker that hangs fails plainly: right is about two seconds, wrong is thirty and more.
//
// What needs a broker with state (consumer groups, moving leaders) is in the nested module kfake.
package test
