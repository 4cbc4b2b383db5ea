package project

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSwap(t *testing.T) {
	for _, there := range []bool{true, false} {
		dst := filepath.Join(t.TempDir(), "dst")
		if there {
			put(t, dst, "old")
		}
		src, err := Temp(dst)
		if err != nil {
			t.Fatal(err)
		}
		put(t, src, "new")
		if err := Swap(src, dst); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(dst))
		if data, _ := os.ReadFile(filepath.Join(dst, "file")); string(data) != "new" || err != nil || len(entries) != 1 {
			t.Errorf("%q %v %v", data, err, entries)
		}
	}
}

// The way that systems without an exchange of names go.
func TestReplace(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "dst")
	src := dst + ".new"
	put(t, dst, "old")
	put(t, src, "new")
	if err := replace(src, dst); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(dst, "file")); string(data) != "new" {
		t.Errorf("%q", data)
	}
	if err := replace(src, dst); err == nil { // src is gone: dst must come back
		t.Error("no error")
	}
	if data, _ := os.ReadFile(filepath.Join(dst, "file")); string(data) != "new" {
		t.Errorf("after a failure: %q", data)
	}
}

func put(t *testing.T, dir, data string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestQuote(t *testing.T) {
	for path, want := range map[string]string{"/a/b-c_d.e@v1": "/a/b-c_d.e@v1", "/a b": "'/a b'", "it's": `'it'\''s'`, "/!i": "'/!i'", "": "''"} {
		if got := Quote(path); got != want {
			t.Errorf("%q: %s, not %s", path, got, want)
		}
	}
}
