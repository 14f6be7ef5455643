package main

// An archive is text in the form of txtar: a line "-- name --" begins a section.
//
//	-- repository --
//	owner/name COMMIT          the full hash; "." instead of owner/name is this project
//	-- tree/DOMAIN/TOPIC/NAME.md --
//	…                          an entry; none where the repository has a tree of its own
//	-- task ID --
//	text: what a developer asks for, in one line
//	need: PATH                 a source file that must be changed or read; repeated
//	know: DOMAIN/TOPIC/NAME.md an entry whose content is needed; repeated
//	open: PATH                 the file open in the editor, if one is
//	line: N                    of the cursor in it
//
// Lines before the first section are for people, as are those of a task that begin with #.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

// set is one archive.
type set struct {
	Name   string // of the file, without its ending
	Repo   string // owner/name, "." for this project
	Commit string
	Tree   map[string]string // texts of entries by path; empty: those of the repository
	Tasks  []task
}

// task is something to do, with what must be shown for it.
type task struct {
	ID   string
	Text string
	Need []string // files
	Know []string // entries
	Open string   // "": none
	Line int      // 1-based; 0: not known
}

var (
	hash     = regexp.MustCompile(`^[0-9a-f]{40}$`)
	repoName = regexp.MustCompile(`^(\.|[\w.-]+/[\w.-]+)$`)
	taskName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
)

// parseSet reads an archive. Errors name the file and the line.
func parseSet(name, data string) (set, error) {
	s := set{Name: strings.TrimSuffix(filepath.Base(name), ".txtar"), Tree: map[string]string{}}
	for _, part := range corpus.Sections(data) {
		at := func(err error) error { return fmt.Errorf("%s:%d: -- %s --: %w", name, part.Line, part.Name, err) }
		kind, id, _ := strings.Cut(part.Name, " ")
		switch {
		case part.Name == "repository":
			fields := strings.Fields(part.Text)
			if s.Repo != "" || len(fields) != 2 || !repoName.MatchString(fields[0]) || !hash.MatchString(fields[1]) {
				return s, at(errors.New(`one line "owner/name COMMIT" with the full hash is expected, once`))
			}
			s.Repo, s.Commit = fields[0], fields[1]
		case strings.HasPrefix(part.Name, "tree/"):
			p := strings.TrimPrefix(part.Name, "tree/")
			if s.Tree[p] != "" || !filepath.IsLocal(p) || !strings.HasSuffix(p, ".md") || strings.TrimSpace(part.Text) == "" {
				return s, at(errors.New("the path of one entry, and its text, are expected"))
			}
			s.Tree[p] = part.Text
		case kind == "task":
			t, err := parseTask(id, part.Text)
			if err == nil && slices.ContainsFunc(s.Tasks, func(o task) bool { return o.ID == id }) {
				err = errors.New("there is another task of this name")
			}
			if err != nil {
				return s, at(err)
			}
			s.Tasks = append(s.Tasks, t)
		default:
			return s, at(errors.New("neither repository, nor tree/PATH, nor task ID"))
		}
	}
	if s.Repo == "" || len(s.Tasks) == 0 {
		return s, fmt.Errorf("%s: a section repository and at least one task are expected", name)
	}
	return s, nil
}

// parseTask reads the lines of a task.
func parseTask(id, text string) (task, error) {
	t := task{ID: id}
	if !taskName.MatchString(id) {
		return t, errors.New("a task's name is of small letters, digits and hyphens")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" {
			return t, fmt.Errorf("%q says nothing; a line is KEY: VALUE", line)
		}
		if err := t.set(key, value); err != nil {
			return t, err
		}
	}
	switch {
	case t.Text == "" || len(t.Need) == 0 || len(t.Know) == 0:
		return t, errors.New("a text, a file that it needs and an entry that it needs are expected")
	case t.Line > 0 && t.Open == "":
		return t, errors.New("line: has no open: beside it")
	}
	return t, nil
}

func (t *task) set(key, value string) error {
	once := func(to *string) error {
		if *to != "" {
			return fmt.Errorf("%s: is given twice", key)
		}
		*to = value
		return nil
	}
	more := func(to *[]string) error {
		if slices.Contains(*to, value) {
			return fmt.Errorf("%s: %s is given twice", key, value)
		}
		*to = append(*to, value)
		return nil
	}
	switch key {
	case "text":
		return once(&t.Text)
	case "open":
		return once(&t.Open)
	case "need":
		return more(&t.Need)
	case "know":
		return more(&t.Know)
	case "line":
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 {
			return fmt.Errorf("line: %q is no line", value)
		}
		t.Line = n
		return nil
	}
	return fmt.Errorf("%q: the keys are text, need, know, open and line", key)
}

// readSets reads all archives of a folder, by name.
func readSets(dir string) ([]set, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(err, fmt.Errorf("%s: no archive; run from the module's root, or name their folder with -labels", dir))
	}
	var sets []set
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		s, err := parseSet(p, string(data))
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// chosen keeps an archive, or one task of it.
func chosen(sets []set, only string) ([]set, error) {
	if only == "" {
		return sets, nil
	}
	name, id, one := strings.Cut(only, "/")
	for _, s := range sets {
		if s.Name != name {
			continue
		}
		if one {
			s.Tasks = slices.DeleteFunc(s.Tasks, func(t task) bool { return t.ID != id })
		}
		if len(s.Tasks) > 0 {
			return []set{s}, nil
		}
	}
	return nil, fmt.Errorf("-only %s: no such archive or task", only)
}

// lay writes the entries into a checkout.
func (s set) lay(dir string) error {
	for p, text := range s.Tree {
		to := filepath.Join(dir, ".brv", "context-tree", filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
