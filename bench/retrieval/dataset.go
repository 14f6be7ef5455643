package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

// dataset is one set, made into a context tree.
type dataset struct {
	docs     []document
	ids      map[string]string          // tree path → document id
	scopes   map[string]string          // scope of the data → folder of the tree
	queries  []query                    // those with labels
	relevant map[string]map[string]bool // query id → document ids
}

// document is an entry of the tree that a set becomes.
type document struct{ path, text string }

// query is one question of a set.
type query struct {
	ID, Text, Category, Scope, Origin string
}

// readSet reads a set's folder.
func readSet(dir string) (*dataset, error) {
	set := &dataset{ids: map[string]string{}, scopes: map[string]string{}, relevant: map[string]map[string]bool{}}
	if err := set.readDocs(filepath.Join(dir, "docs.jsonl.gz")); err != nil {
		return nil, err
	}
	labels, err := os.ReadFile(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(labels)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) < 3 || f[2] == "0" {
			continue
		}
		if set.relevant[f[0]] == nil {
			set.relevant[f[0]] = map[string]bool{}
		}
		set.relevant[f[0]][f[1]] = true
	}
	all, err := readQueries(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		if len(set.relevant[q.ID]) > 0 {
			set.queries = append(set.queries, q)
		}
	}
	return set, nil
}

func (set *dataset) readDocs(file string) error {
	docs, err := corpus.Read(file)
	if err != nil {
		return err
	}
	for _, e := range corpus.Convert(docs) {
		set.ids[e.Path] = e.ID
		set.docs = append(set.docs, document{e.Path, e.Text()})
	}
	return nil
}

func readQueries(file string) ([]query, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []query
	for line := range bytes.Lines(raw) {
		var q query
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, q)
	}
	return out, nil
}

// scopesOf are the distinct scopes of queries.
func scopesOf(all []query) []string {
	var out []string
	for _, q := range all {
		if !slices.Contains(out, q.Scope) {
			out = append(out, q.Scope)
		}
	}
	return out
}

// everyFourth keeps the queries whose number is divisible by four.
func everyFourth(all []query) []query {
	var out []query
	for _, q := range all {
		n := 0
		if _, err := fmt.Sscanf(strings.TrimLeft(q.ID, "abcdefghijklmnopqrstuvwxyz"), "%d", &n); err == nil && n%4 == 0 {
			out = append(out, q)
		}
	}
	return out
}

// family is the origin, in ood-queries, of a set's own kind of question: those
// are left out, since the set may be able to answer them.
var family = map[string]string{
	"locomo-session": "locomo", "locomo-facts": "locomo", "devdocs-anchors": "devdocs",
	"win32-24k": "devdocs", "cookbook-docs": "devdocs", "cosqa": "cosqa", "cacm": "cacm",
}

func foreignTo(set string, all []query) []query {
	var out []query
	for _, q := range all {
		if q.Origin != family[set] {
			out = append(out, q)
		}
	}
	return out
}
