package main

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

func TestPlaceIsTheFirstRelation(t *testing.T) {
	d := place(corpus.Entry{Title: "T", Path: "a/b/c.md", Body: "text a/b/d.md\n", Related: []string{"a/b/d.md", "a/b/e.md"}})
	line := strings.Split(d.text, "\n")[d.line]
	if !strings.HasPrefix(line[d.start:], "a/b/d.md, ") || !strings.HasPrefix(line, "related:") {
		t.Errorf("line %d, byte %d: %q", d.line, d.start, line)
	}
	if got := d.to[:d.typed()]; got != "a/b/d.m" {
		t.Errorf("completion is asked for behind %q", got)
	}
	if alone := place(corpus.Entry{Title: "T", Path: "a/b/c.md"}); alone.to != "" {
		t.Errorf("an entry without relations leads to %s", alone.to)
	}
}

func TestEditsGoToTheEndOfTheLastLine(t *testing.T) {
	for text, want := range map[string]object{
		"one\ntwo\n": {"line": 1, "character": 3},
		"one\ntwo":   {"line": 1, "character": 3},
		"one\n\n":    {"line": 1, "character": 0},
	} {
		if got := (document{text: text}).end(0); got["line"] != want["line"] || got["character"] != want["character"] {
			t.Errorf("%q ends at %v, want %v", text, got, want)
		}
		if got := (document{text: text}).end(2); got["character"] != want["character"].(int)+2 {
			t.Errorf("%q with two bytes more ends at %v", text, got)
		}
	}
}

func TestRepetitionsHaveOwnPaths(t *testing.T) {
	docs := []corpus.Document{{Title: "A", Path: "x/y/a.md"}, {Title: "B", Path: "x/y/b.md"}, {Title: "C", Path: "x/y/c.md"}}
	seen := map[string]bool{}
	for _, d := range repeated(docs, 8) {
		if seen[d.Path] || seen[d.Title] {
			t.Errorf("%s %q occurs twice", d.Path, d.Title)
		}
		seen[d.Path], seen[d.Title] = true, true
	}
	if few := repeated(docs, 2); len(few) != 2 || few[0].Path != "x/y/a.md" || few[1].Path != "x/y/b.md" {
		t.Errorf("two of three: %v", few)
	}
}
