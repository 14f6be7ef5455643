package main

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

// origins are the sets, each with the origin of the foreign queries that it may be
// able to answer, which are not asked of it. Sets with one origin are about the like:
// what one of them asks is not foreign to the others.
var origins = map[string]string{
	"locomo-session": "locomo", "locomo-facts": "locomo", "devdocs-anchors": "devdocs",
	"win32-24k": "devdocs", "cookbook-docs": "devdocs", "cosqa": "cosqa", "cacm": "cacm",
}

var setNames = []string{"cacm", "cookbook-docs", "cosqa", "devdocs-anchors", "locomo-facts", "locomo-session", "win32-24k"}

// unlabelled are the sets whose labels name one or some of several right entries: how
// often a first hit is right cannot be told there.
var unlabelled = map[string]bool{"cosqa": true, "cacm": true}

// dataset is one set.
type dataset struct {
	docs    []corpus.Entry
	text    func(corpus.Entry) string
	queries []question
}

// question is one query, with the documents that answer it.
type question struct {
	corpus.Question
	relevant map[string]bool // paths
}

func readSet(dir string) (*dataset, error) {
	docs, err := corpus.Read(filepath.Join(dir, "docs.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	labels, err := corpus.ReadLabels(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		return nil, err
	}
	all, err := corpus.ReadQuestions(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return nil, err
	}
	set := &dataset{docs: corpus.Convert(docs), text: corpus.Entry.Text}
	paths := map[string]string{}
	for _, d := range set.docs {
		paths[d.ID] = d.Path
	}
	for _, q := range all {
		relevant := map[string]bool{}
		for id := range labels[q.ID] {
			relevant[paths[id]] = true
		}
		if len(relevant) > 0 {
			set.queries = append(set.queries, question{q, relevant})
		}
	}
	return set, nil
}

// readForeign reads questions without labels.
func readForeign(file string) ([]question, error) {
	all, err := corpus.ReadQuestions(file)
	var out []question
	for _, q := range all {
		out = append(out, question{Question: q})
	}
	return out, err
}

// own.tsv are questions that the project's own tree answers, each with its entry.
//
//go:embed own.tsv
var ownList string

// everyday.txt are questions about work on a project, which no set and no piece of one answers.
//
//go:embed everyday.txt
var everydayList string

func everydayQuestions() []question {
	var out []question
	for line := range strings.Lines(everydayList) {
		if text := strings.TrimSpace(line); !strings.HasPrefix(text, "#") {
			out = append(out, question{Question: corpus.Question{Text: text}})
		}
	}
	return out
}

func ownQuestions() []question {
	var out []question
	for line := range strings.Lines(ownList) {
		if text, path, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			out = append(out, question{corpus.Question{Text: text}, map[string]bool{path: true}})
		}
	}
	return out
}

// scopes are the distinct scopes of queries, but not "".
func scopes(all []question) []string {
	var out []string
	for _, q := range all {
		if q.Scope != "" && !slices.Contains(out, q.Scope) {
			out = append(out, q.Scope)
		}
	}
	return out
}
