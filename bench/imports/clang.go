package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

func init() { oracles["c"] = cAnswers }

// includeFolders are the -I folders of checkouts, by the folder of the files
// that are compiled with them, in the compiler's order: what the repositories'
// Makefile and CMakeLists.txt say.
//
//go:embed testdata/include_folders.json
var includeFolders []byte

var includeDirective = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*("[^"\n]+"|<[^>\n]+>)`)

// cAnswers has gcc find each include by itself, with the folders of the
// checkout's build. Includes that conditions hide are asked for like others.
// A checkout whose folders are not listed gets no answers.
func cAnswers(ctx context.Context, dir string) ([]answer, error) {
	var all map[string]map[string][]string
	if err := json.Unmarshal(includeFolders, &all); err != nil {
		return nil, err
	}
	folders := all[filepath.Base(dir)]
	if folders == nil {
		return nil, nil
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		return nil, errAbsent
	}
	sources, err := filesOf(dir, isCSource)
	if err != nil {
		return nil, err
	}
	asked := map[string][]string{} // by folder, search list and directive
	var answers []answer
	for _, source := range sources {
		from := path.Dir(source)
		search, ok := searchList(folders, from)
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(source)))
		if err != nil {
			return nil, err
		}
		for _, m := range includeDirective.FindAllSubmatch(text, -1) {
			directive := string(m[1])
			key := strings.Join(append([]string{from, directive}, search...), "\n")
			if _, ok := asked[key]; !ok {
				if asked[key], err = gccFinds(ctx, dir, filepath.FromSlash(from), search, directive); err != nil {
					return nil, err
				}
			}
			answers = append(answers, answer{File: source, Spec: strings.Trim(directive, `"<>`), Paths: asked[key]})
		}
	}
	return answers, nil
}

func isCSource(p string) bool {
	switch filepath.Ext(p) {
	case ".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx":
		return true
	}
	return false
}

// searchList returns the folders of the longest listed folder that holds dir.
func searchList(folders map[string][]string, dir string) ([]string, bool) {
	for ; ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if list, ok := folders[dir]; ok || dir == "" {
			return list, ok
		}
	}
}

// gccFinds returns the file of the checkout that an include directive in a file
// of folder from leads to, none if it leads out of it or nowhere.
func gccFinds(ctx context.Context, dir, from string, search []string, directive string) ([]string, error) {
	args := []string{"-E", "-H", "-fmax-include-depth=2", "-o", os.DevNull, "-x", "c++", "-iquote", from}
	for _, s := range search {
		args = append(args, "-I", s)
	}
	cmd := exec.CommandContext(ctx, "gcc", append(args, "-")...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader("#include " + directive + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	for line := range strings.Lines(stderr.String()) {
		found, ok := strings.CutPrefix(strings.TrimSpace(line), ". ")
		if !ok {
			continue
		}
		if filepath.IsAbs(found) || !filepath.IsLocal(filepath.Clean(found)) {
			return nil, nil
		}
		return []string{filepath.ToSlash(filepath.Clean(found))}, nil
	}
	if strings.Contains(stderr.String(), "No such file or directory") {
		return nil, nil
	}
	return nil, fmt.Errorf("gcc: #include %s: %w: %.300s", directive, err, stderr.String())
}
