package lsp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// BenchmarkPlaces measures the round trips of completion, references and links
// in a tree of 10,000 entries, one of which has 1,000 backlinks. Before each
// request a letter is typed, so that nothing computed for the last one serves this one.
func BenchmarkPlaces(b *testing.B) {
	const entries, mentions = 10_000, 1_000
	root := b.TempDir()
	name := func(i int) string { return fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i%10, i%100, i) }
	words := strings.Fields("token refresh session rotation bearer cookie header signature clock skew replay nonce")
	hub := filepath.Join(root, ".brv/context-tree", name(0))
	for i := range entries {
		text := fmt.Sprintf("---\ntitle: The %s %s of %d\ntags: [%s, %s]\n---\n", words[i%12], words[i/12%12], i, words[i%7], words[i%11])
		if i%(entries/mentions) == 1 {
			text += "See @" + name(0) + " for more.\n\n"
		}
		text += strings.Repeat("Some words about it, in a line of ordinary length.\n", 40)
		if i == 0 {
			for n := range 300 {
				text += fmt.Sprintf("And @%s.\n", name(n*31+1))
			}
			text += "\n@"
		}
		writeFile(b, filepath.Join(root, ".brv/context-tree", name(i)), text)
	}
	e := lsptest.Start(withEcho(lsp.Options{}))
	b.Cleanup(e.Close)
	if _, err := e.Initialize(b.Context(), lsptest.Session{Folders: []string{root}}); err != nil {
		b.Fatal(err)
	}
	open(b, e, filepath.Join(root, ".brv/context-tree"), name(0))
	measure := func(what string, ask func() (int, error)) {
		b.Run(what, func(b *testing.B) {
			took := make([]time.Duration, 0, 1000)
			for b.Loop() {
				text, _ := e.Text(hub)
				if err := e.Edit(hub, len(text), len(text), "t"); err != nil {
					b.Fatal(err)
				}
				if err := e.Call(b.Context(), "test/echo", nil, nil); err != nil { // the edit arrived
					b.Fatal(err)
				}
				begin := time.Now()
				if n, err := ask(); err != nil || n == 0 {
					b.Fatal(n, err)
				}
				took = append(took, time.Since(begin))
				if err := e.Edit(hub, len(text), len(text)+1, ""); err != nil {
					b.Fatal(err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
	at := func() int {
		text, _ := e.Text(hub)
		return len(text)
	}
	measure("definition", func() (int, error) {
		text, _ := e.Text(hub)
		l, err := e.Definition(b.Context(), hub, strings.Index(text, "And @")+9)
		return len(l), err
	})
	measure("links", func() (int, error) { l, err := e.Links(b.Context(), hub); return len(l), err })
	measure("references", func() (int, error) { l, err := e.References(b.Context(), hub, 8, false); return len(l) / mentions, err })
	measure("complete", func() (int, error) { l, err := e.Complete(b.Context(), hub, at()); return len(l), err })
	measure("tags", func() (int, error) {
		text, _ := e.Text(hub)
		l, err := e.Complete(b.Context(), hub, strings.Index(text, "tags: [")+7)
		return len(l), err
	})
}
