package layers

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestProductStaysUnderItsCeiling compares the sum of product lines with the ceiling. With -v it prints the sum of each
// top-level folder and of the largest packages.
func TestProductStaysUnderItsCeiling(t *testing.T) {
	top := filepath.Join("..", "..")
	files, err := parseAll(top)
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := os.ReadFile(filepath.Join(top, "docs", "decisions.md"))
	if err != nil {
		t.Fatal(err)
	}
	ceiling, err := readCeiling(string(decisions))
	if err != nil {
		t.Fatal(err)
	}
	sum, byFolder := 0, map[string]int{}
	for _, f := range files {
		if !isProduct(f) {
			continue
		}
		n := codeLines(f.text)
		sum += n
		byFolder[f.folder] += n
		first, _, _ := strings.Cut(f.folder, "/")
		byFolder[first+"/…"] += n
	}
	folders := make([]string, 0, len(byFolder))
	for folder := range byFolder {
		folders = append(folders, folder)
	}
	slices.SortFunc(folders, func(a, b string) int { return byFolder[b] - byFolder[a] })
	for _, folder := range folders[:min(40, len(folders))] {
		t.Logf("%7d  %s", byFolder[folder], folder)
	}
	t.Logf("%7d  product lines; the ceiling is %d", sum, ceiling)
	if sum > ceiling {
		t.Errorf("%d product lines, more than the ceiling of %d: take away what is not needed, or add a row with the reason to "+
			"the table of docs/decisions.md", sum, ceiling)
	}
}

// isProduct reports whether a file is part of what users run: no test, no package for tests, no benchmark, no generated file.
func isProduct(f *source) bool {
	for folder := f.folder; folder != "."; folder = path.Dir(folder) {
		if strings.HasSuffix(path.Base(folder), "test") {
			return false
		}
	}
	return !f.test && !covers("bench", f.folder) && !ast.IsGenerated(f.tree)
}

// codeLines counts the lines on which a token other than a comment begins or goes on.
func codeLines(text []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, 0)
	lines := map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return len(lines)
		}
		if kind == token.SEMICOLON && literal == "\n" { // put in by the scanner
			continue
		}
		first := set.Position(at).Line
		for n := range strings.Count(literal, "\n") + 1 {
			lines[first+n] = true
		}
	}
}

var ceilingRow = regexp.MustCompile(`(?m)^\| ([0-9,]+) lines \| .+ \|$`)

// readCeiling reads the last row of the table of ceilings in docs/decisions.md.
func readCeiling(decisions string) (int, error) {
	rows := ceilingRow.FindAllStringSubmatch(decisions, -1)
	if len(rows) == 0 {
		return 0, fmt.Errorf("docs/decisions.md has no table of ceilings: rows of \"| 1,000 lines | reason |\"")
	}
	return strconv.Atoi(strings.ReplaceAll(rows[len(rows)-1][1], ",", ""))
}

func TestLinesAreCounted(t *testing.T) {
	for text, want := range map[string]int{
		"package a\n": 1,
		"package a\n\n// a comment\n/* and\none */\n": 1,
		"package a\n\nvar x = 1 // why\n":             2,
		"package a\n\nvar x = `a\n\nb`\n":             4,
		"package a\n\nfunc f() {\n}\n":                3,
	} {
		if got := codeLines([]byte(text)); got != want {
			t.Errorf("%q: %d lines, want %d", text, got, want)
		}
	}
	if n, err := readCeiling("| 1,200 lines | first |\n| 1,100 lines | less |\n"); n != 1100 || err != nil {
		t.Errorf("the ceiling is read as %d, %v", n, err)
	}
}
