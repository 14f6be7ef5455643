package layers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	namedTest = regexp.MustCompile("^(?:`([a-z0-9/-]+)` )?([A-Z][A-Za-z0-9]*)(?:/([a-z]+))?$")
	aside     = regexp.MustCompile(` \([^)]*\)`)
)

// untested says which lines of a document's tables name no test, and which of the named tests do not
// exist. A table's last column, with the heading "test", is a list of "`PACKAGE` NAME" or, for more
// of one package, NAME: what `go test ./PACKAGE -run NAME` runs, a script of testdata behind a slash.
func untested(dir, document string) (wrong []string) {
	held, folder := false, ""
	for line := range strings.Lines(document) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			held = false
			continue
		case last == "test":
			held = true
			continue
		case !held || strings.HasPrefix(line, "|---"):
			continue
		}
		for _, item := range strings.Split(aside.ReplaceAllString(last, ""), ", ") {
			m := namedTest.FindStringSubmatch(item)
			if m == nil {
				wrong = append(wrong, fmt.Sprintf("%q names no test", item))
				continue
			}
			if m[1] != "" {
				folder = m[1]
			}
			if !hasTest(filepath.Join(dir, folder), m[2], m[3]) {
				wrong = append(wrong, fmt.Sprintf("%s has no test %s", folder, strings.TrimPrefix(item, "`"+folder+"` ")))
			}
		}
	}
	return wrong
}

// hasTest reports whether a folder has a test with that in its name, and that script.
func hasTest(dir, name, script string) bool {
	if script != "" {
		if _, err := os.Stat(filepath.Join(dir, "testdata", script+".txtar")); err != nil {
			return false
		}
	}
	is := regexp.MustCompile(`(?m)^func (?:(?:Test|Fuzz)\w*)?` + name + `\w*\(\w+ \*testing\.[TF]\)`)
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && is.Match(text) {
			return true
		}
	}
	return false
}

func TestWhatSecurityRestsOnIsTested(t *testing.T) {
	top := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(top, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "| test |") {
		t.Fatal("docs/security.md: no table names tests")
	}
	for _, wrong := range untested(top, string(text)) {
		t.Error("docs/security.md: " + wrong)
	}
}

func TestNamesOfTestsAreChecked(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/b/x_test.go":            "package b\n\nfunc TestOfAll(t *testing.T) {}\n",
		"a/b/x.go":                 "package b\n\nfunc TestNone(t *testing.T) {}\n",
		"a/b/testdata/there.txtar": "",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := untested(dir, "| who | what |\n|---|---|\n| `a` | anything |\n\n| who | test |\n|---|---|\n"+
		"| x | `a/b` OfAll (so), TestOfAll/there |\n| y | `a/b` None, OfAll/away |\n| z | `a/b` |\n| z | `c` OfAll |\n\nNo `table`.\n")
	want := []string{"a/b has no test None", "a/b has no test OfAll/away", "\"`a/b`\" names no test", "c has no test OfAll"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
