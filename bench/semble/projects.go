package main

// What is read of the benchmark: its repositories and questions, and what others scored.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// project is a repository of the benchmark with its questions.
type project struct {
	Name     string `json:"name"`
	Language string `json:"language"`
	URL      string `json:"url"`
	Revision string `json:"revision"`
	Root     string `json:"benchmark_root"` // the folder that is searched, "" for all

	questions []question
}

// repo is the repository as owner/name.
func (p project) repo() string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimRight(p.URL, "/"), ".git"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// question is one with the files that answer it; those of both kinds count the same.
type question struct {
	Query     string   `json:"query"`
	Category  string   `json:"category"`
	Relevant  []target `json:"relevant"`
	Secondary []target `json:"secondary"`
}

func (q question) targets() []string {
	var out []string
	for _, t := range slices.Concat(q.Relevant, q.Secondary) {
		out = append(out, string(t))
	}
	return out
}

// target is a path. Some annotations are objects with lines, which do not count for files.
type target string

// UnmarshalJSON reads either form.
func (t *target) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		var place struct {
			Path string `json:"path"`
		}
		err := json.Unmarshal(data, &place)
		*t = target(place.Path)
		return err
	}
	return json.Unmarshal(data, (*string)(t))
}

// readProjects reads the repositories that have questions, by name.
func readProjects(dir string) ([]project, error) {
	var all []project
	if err := readJSON(filepath.Join(dir, "repos.json"), &all); err != nil {
		return nil, err
	}
	for i, p := range all {
		err := readJSON(filepath.Join(dir, "annotations", p.Name+".json"), &all[i].questions)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for n, q := range all[i].questions {
			if q.Query == "" || q.Category == "" || len(q.targets()) == 0 {
				return nil, fmt.Errorf("annotations/%s.json: question %d has no query, category or file", p.Name, n+1)
			}
		}
	}
	all = slices.DeleteFunc(all, func(p project) bool { return len(p.questions) == 0 })
	slices.SortFunc(all, func(a, b project) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func readJSON(name string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// published holds the scores of one system, as the benchmark's repository publishes them.
type published struct {
	name   string
	scores map[string]scores // by repository
}

// scores are NDCG@10 of one repository.
type scores struct {
	Repo       string             `json:"repo"`
	Mode       string             `json:"mode"` // of the system, where it has several
	All        float64            `json:"ndcg10"`
	ByCategory map[string]float64 `json:"by_category"` // where it was published
}

// readPublished reads the results of quality, by file name. There may be none.
func readPublished(dir string) ([]published, error) {
	names, err := filepath.Glob(filepath.Join(dir, "results", "*.json"))
	if err != nil {
		return nil, err
	}
	var all []published
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "speed-") {
			continue // no quality, in another form
		}
		var file struct {
			Tool  string   `json:"tool"`
			Repos []scores `json:"repos"`
		}
		if err := readJSON(name, &file); err != nil {
			return nil, err
		}
		if file.Tool == "" { // named by the file: tool, dash, commit
			file.Tool = strings.TrimSuffix(filepath.Base(name), ".json")
			file.Tool = file.Tool[:max(0, strings.LastIndex(file.Tool, "-"))]
		}
		from := len(all)
		for _, s := range file.Repos {
			system := strings.TrimSpace(file.Tool + " " + s.Mode)
			at := slices.IndexFunc(all[from:], func(p published) bool { return p.name == system })
			if at < 0 {
				at = len(all) - from
				all = append(all, published{system, map[string]scores{}})
			}
			all[from+at].scores[s.Repo] = s
		}
	}
	return all, nil
}
