package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// BenchmarkPast: fifty entries of fifty moments, each naming five files, of a repository
// with 500 commits of 200 files of 4 KB; nothing known yet, and asked again.
func BenchmarkPast(b *testing.B) {
	p := &project{t: b, dir: b.TempDir()}
	p.git("init", "-q", "-b", "main")
	var stream strings.Builder
	for i := range int64(500) {
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter a <a@example.org> %d +0000\ndata 1\nx\n", firstDay+i*24*60*60)
		for k := range int64(200) {
			if i > 0 && k != i%200 {
				continue
			}
			text := strings.Repeat(fmt.Sprintf("line %d of %d\n", i, k), 250)
			fmt.Fprintf(&stream, "M 100644 inline f%d.go\ndata %d\n%s\n", k, len(text), text)
		}
	}
	p.fastImport(stream.String())
	repo, err := git.Open(p.dir)
	if err != nil {
		b.Fatal(err)
	}
	h, err := Read(b.Context(), repo, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var asks []Ask
	for entry := range int64(50) {
		for file := range int64(5) {
			asks = append(asks, Ask{Path: fmt.Sprintf("f%d.go", (entry*7+file*31)%200), When: day(entry * 10), Short: true})
		}
	}
	at := func(b *testing.B, past *Past) {
		versions, err := past.At(b.Context(), asks)
		if err != nil || !versions[len(versions)-1].There {
			b.Fatal(err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			at(b, NewPast(repo, h))
		}
	})
	b.Run("warm", func(b *testing.B) {
		past := NewPast(repo, h)
		at(b, past)
		for b.Loop() {
			at(b, past)
		}
	})
}
