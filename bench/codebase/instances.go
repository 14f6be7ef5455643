package main

// An instance is one line of JSON: a commit's message, and the source files that the
// commit changed, tests apart, as they were at its parent.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// instance is one task with its answer.
type instance struct {
	ID         string              `json:"id"`
	Repo       string              `json:"repo"` // owner/name
	Lang       string              `json:"lang"`
	BaseCommit string              `json:"base_commit"` // the parent, at which everything is read
	Date       string              `json:"date"`        // RFC 3339
	Query      string              `json:"query"`
	Files      []string            `json:"files"`      // gold: what the commit changed
	BaseLines  map[string][][2]int `json:"base_lines"` // the parent's lines that changed, 1-based
	Mentions   string              `json:"mentions"`   // how the query names a gold file: path, stem, none
}

// maxLine bounds one line of a file of instances, in bytes.
const maxLine = 1 << 20

// readInstances reads files, comma-separated; of a folder all that end in .jsonl.
func readInstances(from string) ([]instance, error) {
	var all []instance
	for _, name := range strings.Split(from, ",") {
		files := []string{name}
		if info, err := os.Stat(name); err != nil {
			return nil, err
		} else if info.IsDir() {
			files, _ = filepath.Glob(filepath.Join(name, "*.jsonl"))
		}
		for _, file := range files {
			some, err := readFile(file)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no instances", from)
	}
	return all, nil
}

func readFile(file string) ([]instance, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []instance
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var i instance
		if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if err := i.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		out = append(out, i)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

func (i instance) check() error {
	switch {
	case i.ID == "" || i.Repo == "" || i.BaseCommit == "":
		return fmt.Errorf("instance %q has no id, repo or base_commit", i.ID)
	case strings.HasPrefix(i.BaseCommit, "-"):
		return fmt.Errorf("instance %s: base_commit %q", i.ID, i.BaseCommit)
	case len(i.Files) == 0:
		return fmt.Errorf("instance %s names no file", i.ID)
	}
	return nil
}

// chosen are the instances that a run is about: one alone, or the first of each
// repository, as they stand in the files; all if limit is 0.
func chosen(all []instance, only string, limit int) ([]instance, error) {
	count := map[string]int{}
	var out []instance
	for _, i := range all {
		if only != "" && i.ID != only {
			continue
		}
		if count[i.Repo]++; limit <= 0 || count[i.Repo] <= limit {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no instance has the id %q", only)
	}
	return out, nil
}

// byRepository groups instances, each group in the order of time, so that most of a
// repository stays as it is from one to the next.
func byRepository(all []instance) [][]instance {
	groups := map[string][]instance{}
	var names []string
	for _, i := range all {
		if groups[i.Repo] == nil {
			names = append(names, i.Repo)
		}
		groups[i.Repo] = append(groups[i.Repo], i)
	}
	slices.Sort(names)
	out := make([][]instance, len(names))
	for n, name := range names {
		group := groups[name]
		slices.SortFunc(group, func(a, b instance) int { return cmp.Or(a.time().Compare(b.time()), cmp.Compare(a.ID, b.ID)) })
		out[n] = group
	}
	return out
}

func (i instance) time() time.Time {
	t, _ := time.Parse(time.RFC3339, i.Date) // else the first
	return t
}
