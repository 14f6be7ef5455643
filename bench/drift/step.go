package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// step is a pair of commits.
type step struct {
	from, to string
	at       time.Time // of from
	changes  []change
}

// change is a file that differs between the two, as git sees it.
type change struct {
	status   byte // A, D, M, R, T
	path, to string
}

// Limits of the choice of steps.
const (
	newest   = 4_000 // commits of the line that are looked at
	maxFiles = 400   // of a step
	maxTries = 600   // steps that are looked at for one kind
)

// wanted are the kinds of steps, each by a test of its truths.
var wanted = []string{"renamed", "deleted", "rewritten", "form"}

// choose takes the steps of a repository.
func choose(ctx context.Context, g *repo, o options) ([]step, error) {
	line, err := g.lines(ctx, "log", "--first-parent", "-n", strconv.Itoa(newest), "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	type moment struct {
		hash string
		time int64
	}
	var moments []moment
	for _, l := range line {
		hash, at, _ := strings.Cut(l, " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log: unexpected %q", l)
		}
		moments = append(moments, moment{hash, seconds})
	}
	var order []int
	for i := o.later; i+1 < len(moments); i++ {
		if moments[i].time > moments[i+1].time {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(moments[a].hash, moments[b].hash) })
	var steps []step
	taken := map[int]bool{}
	for k, kind := range wanted {
		skip := (o.skip + len(wanted) - 1 - k) / len(wanted)
		want := (o.per + len(wanted) - 1 - k) / len(wanted)
		tries := 0
		for _, i := range order {
			if want == 0 || tries == maxTries {
				break
			}
			if taken[i] {
				continue
			}
			s := step{from: moments[i+1].hash, to: moments[i-o.later].hash, at: time.Unix(moments[i+1].time, 0).UTC()}
			if s.changes, err = g.changes(ctx, s.from, s.to); err != nil {
				return nil, err
			}
			if !s.candidate(kind) {
				continue
			}
			tries++
			has, err := g.has(ctx, s, kind)
			if err != nil {
				return nil, err
			}
			if has {
				taken[i] = true
				if skip > 0 {
					skip--
					continue
				}
				steps, want = append(steps, s), want-1
			}
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return a.at.Compare(b.at) })
	return steps, nil
}

// candidate is the cheap part of has.
func (s step) candidate(kind string) bool {
	status := map[string]byte{"renamed": 'R', "deleted": 'D', "rewritten": 'M', "form": 'M'}[kind]
	return len(s.changes) <= maxFiles && slices.ContainsFunc(s.changes, func(c change) bool {
		return c.status == status &&
			isCode(c.path)
	})
}

// has reports whether a step has a file of that truth.
func (g *repo) has(ctx context.Context, s step, kind string) (bool, error) {
	truths, err := g.fileTruths(ctx, s)
	return slices.ContainsFunc(truths, func(t truth) bool { return t.kind == kind }), err
}

// copyOf is a checkout of a repository: its files, and a git folder that borrows the
// repository's objects and has a HEAD of its own.
type copyOf struct {
	g   *repo
	dir string
	at  string
}

func (g *repo) checkout() (*copyOf, error) {
	dir, err := os.MkdirTemp("", "brv-bench-drift-")
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/info/alternates": filepath.Join(g.dir,
		"objects") + "\n", "refs/.keep": ""} {
		file := filepath.Join(dir, "files/.git", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return &copyOf{g: g, dir: dir}, nil
}

func (c *copyOf) files() string { return filepath.Join(c.dir, "files") }

// move brings the copy to a commit and returns the paths that differ. Nothing is written
// into the repository: the index lies beside the copy.
func (c *copyOf) move(ctx context.Context, commit string) ([]string, error) {
	cmd := c.g.command(ctx, "--work-tree="+c.files(), "read-tree", "--reset", "-u", commit)
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(c.dir, "index"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git read-tree %s: %w: %s", commit, err, out)
	}
	var changed []string
	if c.at != "" {
		out, err := c.g.output(ctx, "diff", "--name-only", "--no-renames", "-z", c.at, commit)
		if err != nil {
			return nil, err
		}
		changed = strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	}
	c.at = commit
	return changed, os.WriteFile(filepath.Join(c.files(), ".git/HEAD"), []byte(commit+"\n"), 0o644)
}

func (c *copyOf) Close() error { return os.RemoveAll(c.dir) }
