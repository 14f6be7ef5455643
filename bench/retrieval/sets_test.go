package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSetsAreFoundAndRead(t *testing.T) {
	names, err := setsIn("testdata")
	if err != nil || !slices.Equal(names, []string{"harbour", "kitchen"}) {
		t.Fatalf("sets %v, %v", names, err)
	}
	set, err := readSet("testdata", "harbour")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.docs) != 6 || len(set.questions) != 4 { // the fifth has no label
		t.Errorf("%d documents, %d questions", len(set.docs), len(set.questions))
	}
	if r := set.relevant["q4"]; len(r) != 2 || !r["h2"] || !r["h5"] { // h3 has relevance 0
		t.Errorf("relevant to q4: %v", r)
	}
	if got := set.folder("north"); got != "north" {
		t.Errorf("scope north is folder %q", got)
	}
	if len(set.foreign) != 3 {
		t.Errorf("%d foreign questions", len(set.foreign))
	}
	kitchen, err := readSet("testdata", "kitchen")
	if err != nil {
		t.Fatal(err)
	}
	if len(kitchen.foreign) != 2 { // the third is of its own kind
		t.Errorf("%d foreign questions of kitchen", len(kitchen.foreign))
	}
	if p := kitchen.passes(); len(p) != 1 || p[0].scope != "global" {
		t.Errorf("a set without scopes is asked %v", p)
	}
}

// packed copies a set of testdata elsewhere, its documents gzipped and no foreign
// questions beside it.
func packed(t *testing.T, name string) (data string) {
	t.Helper()
	data = t.TempDir()
	dir := filepath.Join(data, name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "docs.jsonl")
	text, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(plain + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(plain); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSetStandsAloneAndMayBeGzipped(t *testing.T) {
	set, err := readSet(packed(t, "kitchen"), "kitchen")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.docs) != 3 || len(set.foreign) != 0 {
		t.Errorf("%d documents, %d foreign questions", len(set.docs), len(set.foreign))
	}
}

func TestOwnKindOfForeignQuestionsIsLeftOut(t *testing.T) {
	all := func() []question {
		return []question{{Origin: "locomo"}, {Origin: "devdocs"}, {Origin: "cranfield"}, {Origin: "cosqa"}}
	}
	for set, own := range map[string]string{
		"locomo-session": "locomo", "locomo-turn": "locomo", "devdocs-anchors": "devdocs", "win32-24k": "devdocs",
		"cookbook-docs": "devdocs", "cosqa": "cosqa", "cranfield": "cranfield",
	} {
		got := foreignTo(set, all())
		if len(got) != 3 || slices.ContainsFunc(got, func(q question) bool { return q.Origin == own }) {
			t.Errorf("%s is asked %v", set, got)
		}
	}
	if got := foreignTo("unheard-of", all()); len(got) != 4 {
		t.Errorf("a set of no known kind is asked %v", got)
	}
}

func TestScopesOfPathsAndOfDocuments(t *testing.T) {
	data := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(data, "s"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, "s", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("docs.jsonl", `{"id":"1","path":"odd name/a.md","text":"x","scope":"team one"}
{"id":"2","path":"odd name/b/c.md","text":"x","scope":"team one"}
{"id":"3","path":"plain/a.md","text":"x"}
{"id":"4","path":"x/a.md","text":"x","scope":"spread"}
{"id":"5","path":"y/a.md","text":"x","scope":"spread"}
`)
	write("queries.jsonl", `{"id":"q1","text":"x","scope":"plain"}`)
	write("qrels.tsv", "q1\t3\t1\n")
	set, err := readSet(data, "s")
	if err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]string{"team one": "odd_name", "plain": "plain/general", "spread": "spread",
		"unknown": "unknown", "": ""} {
		if got := set.folder(scope); got != want {
			t.Errorf("scope %q is folder %q, want %q", scope, got, want)
		}
	}
	if set.docs[2].Scope != "plain" {
		t.Errorf("a document below the folder of a scope is in %q", set.docs[2].Scope)
	}
}
