package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// filesOf returns the regular files of a checkout with a wanted name, as slash
// paths relative to it, sorted; nothing under .git.
func filesOf(dir string, want func(name string) bool) ([]string, error) {
	var found []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular() || !want(d.Name()):
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		found = append(found, filepath.ToSlash(rel))
		return err
	})
	return found, err
}

// exitAbsent is the exit code of a script that does not find its tool.
const exitAbsent = 3

// readAnswers runs a program with text as its input and decodes what it prints.
func readAnswers(ctx context.Context, text, program string, args ...string) ([]answer, error) {
	if _, err := exec.LookPath(program); err != nil {
		return nil, errAbsent
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = strings.NewReader(text)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == exitAbsent {
		return nil, errAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	var answers []answer
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&answers); err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return answers, nil
}
