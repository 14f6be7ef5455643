package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// judgeProgram writes the entries of a step into the copy and asks the program what the step leaves
// behind, once to read the code and then in three formats. Its findings are told apart by their lines: each
// line of an entry names one thing.
func judgeProgram(ctx context.Context, program string, c *copyOf, s step, truths []truth) (out []verdict, err error) {
	index, err := os.ReadFile(filepath.Join(c.dir, "index"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(c.files(), ".git/index"), index, 0o600); err != nil {
		return nil, err
	}
	tree := filepath.Join(c.files(), ".brv/context-tree")
	defer os.RemoveAll(filepath.Join(c.files(), ".brv"))
	entries, namings := write(s, truths)
	texts := map[string]string{}
	for _, e := range entries {
		file := filepath.Join(tree, filepath.FromSlash(e.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(e.Text), 0o644)); err != nil {
			return nil, err
		}
		texts[e.Path] = e.Text
	}
	if _, _, err := runProgram(ctx, program, c, s, "text"); err != nil {
		return nil, err
	}
	text, seconds, err := runProgram(ctx, program, c, s, "json")
	if err != nil {
		return nil, err
	}
	var report struct {
		Findings []struct {
			Path, Code, Message string
			Line                int
			Drift               *struct{ Kind, Old, New string }
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, err
	}
	sarif, _, err := runProgram(ctx, program, c, s, "sarif")
	if err != nil {
		return nil, err
	}
	github, _, err := runProgram(ctx, program, c, s, "github")
	if err != nil {
		return nil, err
	}
	inSarif, err := sarifPlaces(sarif)
	if err != nil {
		return nil, err
	}
	if at := os.Getenv("BRV_KEEP_SARIF"); at != "" {
		if err := os.WriteFile(filepath.Join(at, s.to+".sarif"), sarif, 0o644); err != nil {
			return nil, err
		}
	}
	inGithub := githubPlaces(github)
	for _, n := range namings {
		v := verdict{Form: n.form, Truth: n.kind, Path: n.path, Symbol: n.symbol, Target: n.to, Share: n.share,
			Right: !isPositive(n.kind), Seconds: seconds, From: s.from, To: s.to}
		line := lineOf(texts[n.entry], n)
		file := ".brv/context-tree/" + n.entry
		at := place{file, line}
		for _, f := range report.Findings {
			if f.Code != format.CodeStale || f.Path != file || f.Line != line || f.Drift == nil {
				continue
			}
			v.Found, v.Reason = f.Drift.Kind, f.Message
			v.FoundTo, _, _ = strings.Cut(f.Drift.New, " ")
			v.Right = rightKind(n.truth, f.Drift.Kind, v.FoundTo)
			break
		}
		if (v.Found != "") != inSarif[at] || (v.Found != "") != inGithub[at] {
			return nil, fmt.Errorf("%s:%d: the formats differ: %q, SARIF %t, annotations %t", file, line, v.Found, inSarif[at], inGithub[at])
		}
		out = append(out, v)
	}
	return out, nil
}

// lineOf is the line of an entry that names something.
func lineOf(text string, n naming) int {
	line := 0
	for l := range strings.Lines(text) {
		line++
		wants := []string{"- " + n.path + "\n", "`" + n.path + "`"}
		if n.symbol != "" {
			wants = []string{"`" + n.symbol + "`", "`" + n.symbol + "()`"}
		}
		for _, want := range wants {
			if strings.Contains(l, want) {
				return line
			}
		}
	}
	return 0
}

func runProgram(ctx context.Context, program string, c *copyOf, s step, format string) ([]byte, float64, error) {
	cmd := exec.CommandContext(ctx, program, "check", "--root", c.files(), "--base", s.from, "--format", format)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(c.dir, "cache"), "XDG_CONFIG_HOME="+filepath.Join(c.dir, "config"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	seconds := time.Since(begin).Seconds()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 && stdout.Len() > 0 {
		err = nil // it found errors
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", s.to, err, stderr.String())
	}
	return stdout.Bytes(), seconds, err
}

type place struct {
	path string
	line int
}

// sarifPlaces returns the places of the stale findings in a SARIF log.
func sarifPlaces(text []byte) (map[place]bool, error) {
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		return nil, err
	}
	found := map[place]bool{}
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		p, err := url.PathUnescape(at.ArtifactLocation.URI)
		if err != nil {
			return nil, err
		}
		if r.RuleID == format.CodeStale {
			found[place{p, at.Region.StartLine}] = true
		}
	}
	return found, nil
}

// githubPlaces returns the places of the stale findings in GitHub's workflow commands.
func githubPlaces(text []byte) map[place]bool {
	found := map[place]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		head, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "::"), "::")
		_, values, _ := strings.Cut(head, " ")
		at, stale := place{}, false
		for pair := range strings.SplitSeq(values, ",") {
			name, value, _ := strings.Cut(pair, "=")
			switch name {
			case "file":
				at.path = value
			case "line":
				at.line, _ = strconv.Atoi(value)
			case "title":
				stale = value == format.CodeStale
			}
		}
		if stale {
			found[at] = true
		}
	}
	return found
}
