package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantNext checks that an error says what is wrong and what to type next.
func wantNext(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, word := range append(words, "\nnext: ") {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q lacks %q", err, word)
		}
	}
}

func TestFindSource(t *testing.T) {
	const require = "module " + ownModule + "\n\ngo 1.26\n\nrequire " + saramaModule + " v1.61.1\n"
	const replace = "\nreplace " + saramaModule + " => ../../upstream/sarama\n"
	repo := filepath.Join(t.TempDir(), "a path with spaces")
	module := filepath.Join(repo, "test", "kfake")
	mod := filepath.Join(module, "go.mod")
	write(t, mod, require+replace)

	_, err := findSource(t.Context(), module)
	wantNext(t, err, "upstream/sarama", "next: make, then make demo")

	write(t, filepath.Join(repo, "upstream", "sarama", "go.mod"), "module "+saramaModule+"\n")
	src, err := findSource(t.Context(), module)
	if err != nil || src.version != "v1.61.1" || !strings.HasSuffix(src.root, filepath.Join("a path with spaces", "test", "kfake")) {
		t.Errorf("%+v, %v", src, err)
	}

	write(t, mod, require)
	_, err = findSource(t.Context(), module)
	wantNext(t, err, "does not require and replace")

	_, err = findSource(t.Context(), repo)
	wantNext(t, err, "not inside the module", "make demo")
}

func TestPins(t *testing.T) {
	const zip = saramaModule + " v1.61.1 h1:zip="
	const mod = saramaModule + " v1.61.1/go.mod h1:mod="
	sums := filepath.Join(t.TempDir(), "upstream", "go.sum")

	_, err := pinsOf(sums, "v1.61.1")
	wantNext(t, err, "cannot be read")

	write(t, sums, saramaModule+" v1.61.0 h1:other=\n"+zip+"\n"+mod+"\nexample.org/x v1.61.1 h1:x=\n")
	got, err := pinsOf(sums, "v1.61.1")
	if err != nil || string(got) != zip+"\n"+mod+"\n" {
		t.Errorf("%q, %v", got, err)
	}

	// One line of the two is as bad as none: the other would be fetched without a check, or not at all.
	write(t, sums, zip+"\n")
	_, err = pinsOf(sums, "v1.61.1")
	wantNext(t, err, "does not pin "+saramaModule+" v1.61.1")
}
