// Command client is the program that the demo builds twice, from this one source: against unpatched and against patched
// Sarama. It makes a client, which refreshes its metadata, and reports on standard output what it sees of that.
//
// It is started by the demo's launcher, with the brokers' addresses as arguments.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/IBM/sarama"

	"sarama-fanout/test/kfake/demo/event"
)

func main() {
	timeout := flag.Duration("timeout", 2*time.Second, "dial, read and write timeout")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "client: no brokers given; it is the demo that starts this program: make demo")
		os.Exit(2)
	}
	out := newReporter(os.Stdout)

	// What a user of Sarama writes, no more: nothing here names the fanout, so that both builds take their defaults.
	config := sarama.NewConfig()
	config.Net.DialTimeout = *timeout
	config.Net.ReadTimeout = *timeout
	config.Net.WriteTimeout = *timeout
	// The watching dialer is the demo's only addition; it needs a seed list whose addresses it may give out late.
	config.Net.Proxy.Enable = true
	config.Net.Proxy.Dialer = newWatcher(*timeout, flag.Args(), out)
	seeds := seedNames(flag.NArg())

	out.report(event.Event{Kind: event.Ready, Detail: builtWith(), Fanout: fanoutOf(config)})
	waitForStart(os.Stdin)

	out.start()
	client, err := sarama.NewClient(seeds, config)
	if err != nil {
		out.report(event.Event{Kind: event.Failed, Detail: err.Error()})
		os.Exit(1)
	}
	out.report(event.Event{Kind: event.Done, Detail: fmt.Sprintf("%d brokers known", len(client.Brokers()))})
	// The losers' connections are closed as the program ends; the launcher shows no more of them.
	out.stop()
	_ = client.Close()
}

// waitForStart returns when the launcher gives the word, a line. From then on it watches for the launcher's end, which
// closes the pipe: whatever ends the launcher, even a kill that it cannot see, ends this program too.
func waitForStart(in io.Reader) {
	lines := bufio.NewReader(in)
	if _, err := lines.ReadString('\n'); err != nil {
		os.Exit(3)
	}
	go func() {
		_, _ = lines.ReadString('\n')
		os.Exit(3)
	}()
}
