package test

import (
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/IBM/sarama"
)

// TestMain lets many tests run at once, since they mostly wait, and taps Sarama's log. Tests that count milliseconds do
// not call t.Parallel: go test runs them first and alone.
func TestMain(m *testing.M) {
	flag.Parse()
	if !isSet("test.parallel") {
		_ = flag.Set("test.parallel", "24")
	}
	sarama.Logger = logs
	sarama.DebugLogger = logs
	os.Exit(m.Run())
}

func isSet(name string) bool {
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// logs is set once for the whole run: sarama.Logger is a global that clients of other tests are reading.
var logs = &logTap{}

// logTap hands Sarama's log lines to the tests that asked for those with a certain word in them.
type logTap struct {
	mu   sync.Mutex
	taps map[*tap]struct{}
}

type tap struct {
	word  string
	lines []string
}

// follow collects the lines that contain word, an address for example, until the test ends.
func (l *logTap) follow(t *testing.T, word string) func() []string {
	mine := &tap{word: word}
	l.mu.Lock()
	if l.taps == nil {
		l.taps = make(map[*tap]struct{})
	}
	l.taps[mine] = struct{}{}
	l.mu.Unlock()
	t.Cleanup(func() {
		l.mu.Lock()
		delete(l.taps, mine)
		l.mu.Unlock()
	})
	return func() []string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return append([]string(nil), mine.lines...)
	}
}

func (l *logTap) add(line func() string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.taps) == 0 {
		return
	}
	s := line()
	for tap := range l.taps {
		if strings.Contains(s, tap.word) {
			tap.lines = append(tap.lines, s)
		}
	}
}
