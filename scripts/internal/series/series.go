// Package series reads and writes patches/: the file "series", which gives the order, and one patch file per entry.
package series

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sarama-fanout/scripts/internal/hint"
)

const (
	file = "series"
	ext  = ".patch"
)

// Patch is one file of the series. ID is its file name without ".patch" and the value of its Fork-Id trailer.
type Patch struct {
	ID   string
	Data []byte
}

// File is the patch's file name.
func (p Patch) File() string { return p.ID + ext }

// Series is what patches/ holds.
type Series struct {
	Patches []Patch
	lead    [][]string // the comment and blank lines that stand above each patch's line
	head    []string   // those at the top, up to the first blank line
	tail    []string   // those after the last patch
}

// New is a series without patches, for a project that has none yet.
func New() *Series {
	return &Series{head: []string{"# The patches in the order in which they apply, one file name per line. \"make export\" keeps comments.", ""}}
}

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckID says whether a Fork-Id can name a patch file on every system.
func CheckID(id string) error {
	if !idForm.MatchString(id) {
		return fmt.Errorf("%q is not a name like pick-without-lock (small letters, digits, single dashes)", id)
	}
	return nil
}

// Load reads the folder. A series that a slip of the hand has damaged is refused here, before anything is applied.
func Load(dir string) (*Series, error) {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if os.IsNotExist(err) {
		return nil, hint.Errorf("git checkout -- patches\nmake export   (if upstream/sarama holds the patches as commits)", "patches/series is missing")
	}
	if err != nil {
		return nil, err
	}
	s, listed := &Series{}, map[string]int{}
	if len(data) == 0 {
		s = New()
	}
	for n, line := range slices.Collect(strings.Lines(string(data))) {
		line = strings.TrimSuffix(line, "\n")
		name := strings.TrimSpace(line)
		if name == "" || name[0] == '#' {
			s.tail = append(s.tail, line)
			if name == "" && len(s.Patches) == 0 {
				s.head, s.tail = append(s.head, s.tail...), nil
			}
			continue
		}
		const next = "${EDITOR:-vi} patches/series"
		id, isPatch := strings.CutSuffix(name, ext)
		if err := CheckID(id); !isPatch || err != nil {
			return nil, hint.Errorf(next, "patches/series:%d: %q is not a patch file's name like pick-without-lock.patch", n+1, name)
		}
		if first, twice := listed[name]; twice {
			return nil, hint.Errorf(next, "patches/series:%d: %s is listed twice, first on line %d", n+1, name, first)
		}
		listed[name] = n + 1
		data, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			return nil, hint.Errorf("git checkout -- patches/"+name+"\n"+next+"   (to take the line out)", "patches/series:%d: %s is listed, but there is no such file", n+1, name)
		}
		if err != nil {
			return nil, err
		}
		if err := check(data); err != nil {
			return nil, hint.Errorf("git diff patches/"+name, "patches/%s: %v", name, err)
		}
		s.Patches, s.lead, s.tail = append(s.Patches, Patch{id, data}), append(s.lead, s.tail), nil
	}
	return s, unlisted(dir, listed)
}

func check(data []byte) error {
	switch {
	case len(data) == 0:
		return fmt.Errorf("the file is empty")
	case !bytes.HasPrefix(data, []byte("From ")):
		return fmt.Errorf("not a patch in mail format: it does not begin with \"From \"")
	case bytes.Contains(data[:bytes.IndexByte(append(data, '\n'), '\n')], []byte("\r")):
		return fmt.Errorf("it has Windows line ends, which .gitattributes ought to have prevented")
	case !bytes.HasSuffix(data, []byte("\n")):
		return fmt.Errorf("the last line does not end; was the file cut off?")
	}
	return nil
}

// unlisted finds patch files without a line in the series: they would be dropped without a word.
func unlisted(dir string, listed map[string]int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ext) && listed[e.Name()] == 0 {
			return hint.Errorf("echo "+e.Name()+" >> patches/series\nrm patches/"+e.Name(), "patches/%s is not listed in patches/series", e.Name())
		}
	}
	return nil
}

// With gives the series that holds these patches instead, keeping the comments of those that stay.
func (s *Series) With(patches []Patch) *Series {
	lead := map[string][]string{}
	for i, p := range s.Patches {
		lead[p.ID] = s.lead[i]
	}
	n := &Series{Patches: patches, head: s.head, tail: s.tail}
	for _, p := range patches {
		n.lead = append(n.lead, lead[p.ID])
	}
	return n
}

// text is the file "series".
func (s *Series) text() []byte {
	var b strings.Builder
	put := func(lines []string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	put(s.head)
	for i, p := range s.Patches {
		put(s.lead[i])
		b.WriteString(p.File() + "\n")
	}
	put(s.tail)
	return []byte(b.String())
}

// Write fills an empty folder with the series.
func (s *Series) Write(dir string) error {
	for _, p := range s.Patches {
		if err := os.WriteFile(filepath.Join(dir, p.File()), p.Data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, file), s.text(), 0o644)
}

// Sum is a hash of the patches and their order. Comments do not count: they change nothing that is built.
func (s *Series) Sum() string {
	h := sha256.New()
	for _, p := range s.Patches {
		_, _ = fmt.Fprintf(h, "%s %d\n%s", p.ID, len(p.Data), p.Data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Same says whether two lists hold the same patches in the same order.
func Same(a, b []Patch) bool {
	return slices.EqualFunc(a, b, func(a, b Patch) bool { return a.ID == b.ID && bytes.Equal(a.Data, b.Data) })
}

// Owns says whether a name in patches/ is the series' own: everything else there is left alone by Write's callers.
func Owns(name string) bool { return name == file || strings.HasSuffix(name, ext) }
