package main

// A set is a folder with
//
//	docs.jsonl or docs.jsonl.gz  {id, title, path, text[, scope]}
//	queries.jsonl                {id, text[, scope]}
//	qrels.tsv                    question TAB document TAB relevance, 0 being none
//
// and stands in one folder with other sets. A set of foreign questions, which the
// others cannot answer, has {id, text, origin} instead, origin being the kind of set
// that the question was taken from.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

// foreignSet is the set of foreign questions.
const foreignSet = "ood-queries"

// dataset is one set.
type dataset struct {
	name      string
	docs      []corpus.Document
	entries   []corpus.Entry             // the documents as entries of a tree, in the same order
	folders   map[string]string          // scope → folder of the tree
	questions []question                 // those with labels
	relevant  map[string]map[string]bool // question → documents
	foreign   []question                 // what the set cannot answer; none if nobody says
}

// question is one question of a set.
type question = corpus.Question

// setsIn lists the sets of a folder.
func setsIn(data string) ([]string, error) {
	all, err := os.ReadDir(data)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range all {
		dir := filepath.Join(data, d.Name())
		if _, err := docsFile(dir); err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "qrels.tsv")); err == nil {
			out = append(out, d.Name())
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no folder in it is a set", data)
	}
	return out, nil
}

// docsFile is the file with a set's documents.
func docsFile(dir string) (string, error) {
	for _, name := range []string{"docs.jsonl.gz", "docs.jsonl"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(dir, name), nil
		}
	}
	return "", fmt.Errorf("%s: there is neither docs.jsonl nor docs.jsonl.gz", dir)
}

// readSet reads a set, and the foreign questions if they stand beside it.
func readSet(data, name string) (*dataset, error) {
	dir := filepath.Join(data, name)
	file, err := docsFile(dir)
	if err != nil {
		return nil, err
	}
	set := &dataset{name: name}
	if set.docs, err = corpus.Read(file); err != nil {
		return nil, err
	}
	if set.relevant, err = corpus.ReadLabels(filepath.Join(dir, "qrels.tsv")); err != nil {
		return nil, err
	}
	all, err := corpus.ReadQuestions(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		if len(set.relevant[q.ID]) > 0 {
			set.questions = append(set.questions, q)
		}
	}
	if len(set.docs) == 0 || len(set.questions) == 0 {
		return nil, fmt.Errorf("%s: %d documents and %d questions with labels", dir, len(set.docs), len(set.questions))
	}
	set.entries = corpus.Convert(set.docs)
	set.scopeByPath()
	set.folders = foldersOf(set)
	foreign, err := corpus.ReadQuestions(filepath.Join(data, foreignSet, "queries.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	set.foreign = foreignTo(name, foreign)
	return set, nil
}

// scopeByPath gives documents that name no scope that of the questions which their path
// begins with.
func (set *dataset) scopeByPath() {
	for i := range set.docs {
		d := &set.docs[i]
		for j := 0; j < len(set.questions) && d.Scope == ""; j++ {
			if s := set.questions[j].Scope; s != "" && strings.HasPrefix(d.Path, strings.Trim(s, "/")+"/") {
				d.Scope = s
			}
		}
	}
}

// foldersOf finds the folder of the tree that holds the documents of each scope. A
// scope that no document names is taken for a folder itself.
func foldersOf(set *dataset) map[string]string {
	out := map[string]string{}
	for i, d := range set.docs {
		if d.Scope == "" {
			continue
		}
		folder, ok := out[d.Scope]
		if !ok {
			folder = path.Dir(set.entries[i].Path)
		}
		for folder != "." && !strings.HasPrefix(set.entries[i].Path, folder+"/") {
			folder = path.Dir(folder)
		}
		out[d.Scope] = folder
	}
	for scope, folder := range out {
		if folder == "." {
			out[scope] = scope
		}
	}
	return out
}

// folder is where in the tree a scope is searched.
func (set *dataset) folder(scope string) string {
	if f, ok := set.folders[scope]; ok {
		return f
	}
	return scope
}

// pass is one way to ask a set's questions.
type pass struct {
	scope     string // global or scoped
	questions []question
	scopes    []string // those of the questions
}

// passes are the ways to ask a set's questions: everywhere, and, where they say so,
// each in its own part of the tree only.
func (set *dataset) passes() []pass {
	everywhere := slices.Clone(set.questions)
	scoped := pass{scope: "scoped", questions: set.questions}
	for i, q := range set.questions {
		everywhere[i].Scope = ""
		if !slices.Contains(scoped.scopes, q.Scope) {
			scoped.scopes = append(scoped.scopes, q.Scope)
		}
	}
	out := []pass{{scope: "global", questions: everywhere, scopes: []string{""}}}
	if len(scoped.scopes) > 1 || scoped.scopes[0] != "" {
		out = append(out, scoped)
	}
	return out
}

// inQuarter reports whether a question has a number that is divisible by four.
func inQuarter(id string) bool {
	n := 0
	_, err := fmt.Sscanf(strings.TrimLeft(id, "abcdefghijklmnopqrstuvwxyz"), "%d", &n)
	return err == nil && n%4 == 0
}

// families names the origin of a set's own kind of question where the set's name does
// not begin with it.
var families = map[string]string{"win32-24k": "devdocs", "cookbook-docs": "devdocs"}

// foreignTo leaves out the questions of a set's own kind, since the set may be able to
// answer them.
func foreignTo(set string, all []question) []question {
	own, ok := families[set]
	if !ok {
		own, _, _ = strings.Cut(set, "-")
	}
	return slices.DeleteFunc(all, func(q question) bool { return q.Origin == own })
}
