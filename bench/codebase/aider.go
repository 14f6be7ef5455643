package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// engineAider is aider's repository map, made by the unmodified package.
const engineAider = "aider"

// driver asks aider's package for maps.
//
//go:embed aider.py
var driver string

// aider is a running driver.
type aider struct {
	cmd   *exec.Cmd
	in    *json.Encoder
	pipe  io.Closer
	out   *json.Decoder
	cache string
}

// aiderLine is one line of the driver's output.
type aiderLine struct {
	Ready string  `json:"ready"` // the package's version
	Count *string `json:"count"` // a text whose tokens it wants to know
	Map   *string `json:"map"`
	Error string  `json:"error"`
}

// startAider starts the driver over a checkout. Aider's own cache lies elsewhere.
func startAider(ctx context.Context, python, dir string) (*aider, error) {
	cache, err := os.MkdirTemp("", "brv-bench-aider-")
	if err != nil {
		return nil, err
	}
	a := &aider{cmd: exec.CommandContext(ctx, python, "-c", driver, dir, cache), cache: cache}
	in, err1 := a.cmd.StdinPipe()
	out, err2 := a.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	a.in, a.pipe, a.out = json.NewEncoder(in), in, json.NewDecoder(bufio.NewReader(out))
	if err := a.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(cache))
	}
	var ready aiderLine
	if err := a.out.Decode(&ready); err != nil || ready.Ready == "" {
		a.Close()
		return nil, fmt.Errorf("%s has no working package aider-chat: %s", python, ready.Error)
	}
	return a, nil
}

// Close ends the driver.
func (a *aider) Close() {
	a.pipe.Close()
	_ = a.cmd.Wait() // it has nothing more to say
	os.RemoveAll(a.cache)
}

// measure records what aider's maps show of the gold files.
func (a *aider) measure(code *codebase.RepoMap, i instance, golds []gold, rec *record) error {
	var files []string
	for _, c := range code.Chunks() {
		files = append(files, c.Path)
	}
	for _, budget := range budgets {
		text, err := a.ask(map[string]any{"files": files, "query": i.Query, "budget": budget})
		if err != nil {
			return err
		}
		shown := aiderShows(text)
		p := packed{Engine: engineAider, Budget: budget, Tokens: tokens.Count(text)}
		for _, g := range golds {
			p.Shown = append(p.Shown, shown[g.path])
			p.Bodies += len(g.bodies) // it shows none
		}
		rec.Packs = append(rec.Packs, p)
	}
	return nil
}

// ask returns a map. The driver counts tokens as everything here does, by asking back.
func (a *aider) ask(request any) (string, error) {
	if err := a.in.Encode(request); err != nil {
		return "", err
	}
	for {
		var line aiderLine
		err := a.out.Decode(&line)
		switch {
		case err != nil:
			return "", fmt.Errorf("aider: %w", err)
		case line.Error != "":
			return "", fmt.Errorf("aider: %s", line.Error)
		case line.Map != nil:
			return *line.Map, nil
		case line.Count == nil:
			return "", errors.New("aider: the driver said nothing")
		}
		if err := a.in.Encode(tokens.Count(*line.Count)); err != nil {
			return "", err
		}
	}
}

// aiderShows are the files of which a map shows a line of code: a path with a colon, and
// below it lines that begin with a bar.
func aiderShows(text string) map[string]bool {
	out := map[string]bool{}
	path := ""
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "│"):
			out[path] = true
		case strings.HasSuffix(line, ":"):
			path = strings.TrimSuffix(line, ":")
		}
	}
	return out
}
