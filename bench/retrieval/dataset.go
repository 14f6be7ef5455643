package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	in := json.NewDecoder(bufio.NewReader(z))
	for {
		var d struct{ ID, Title, Path, Text, Scope string }
		if err := in.Decode(&d); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		title, err := json.Marshal(d.Title) // a JSON string is a YAML scalar
		if err != nil {
			return err
		}
		place := treePath(d.Path)
		if other, ok := set.ids[place]; ok {
			return fmt.Errorf("%s and %s are both at %s", other, d.ID, place)
		}
		set.ids[place] = d.ID
		set.docs = append(set.docs, document{place, "---\ntitle: " + string(title) + "\n---\n\n" + d.Text})
	}
}

// treePath puts a flat document into a context tree (design, "Making test trees
// from flat document sets"): segments below domain/topic/subtopic/file are joined
// into the file's name, and what lacks a topic gets the topic "general".
func treePath(p string) string {
	s := strings.Split(strings.TrimSuffix(strings.Trim(p, "/"), ".md"), "/")
	switch {
	case len(s) == 1:
		s = []string{"general", "general", s[0]}
	case len(s) == 2:
		s = []string{s[0], "general", s[1]}
	case len(s) > 4:
		s = append(s[:3:3], strings.Join(s[3:], "__"))
	}
	return strings.Join(s, "/") + ".md"
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
