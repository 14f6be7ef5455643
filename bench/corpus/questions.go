package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Question is one question of a set: one JSON line of its queries.jsonl.
type Question struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Scope  string `json:"scope"`  // the only part of the set to search in, "" for everything
	Origin string `json:"origin"` // of a foreign question, the kind of set that it was taken from
}

// ReadQuestions reads the questions of a file.
func ReadQuestions(file string) ([]Question, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []Question
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var q Question
		if err := json.Unmarshal(line, &q); err != nil {
			return nil, fmt.Errorf("%s: question %d: %w", file, len(out)+1, err)
		}
		out = append(out, q)
	}
	return out, nil
}

// ReadLabels reads which documents answer which question: lines of question TAB
// document TAB relevance, 0 being none.
func ReadLabels(file string) (map[string]map[string]bool, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) < 3 || f[2] == "0" {
			continue
		}
		if out[f[0]] == nil {
			out[f[0]] = map[string]bool{}
		}
		out[f[0]][f[1]] = true
	}
	return out, nil
}
