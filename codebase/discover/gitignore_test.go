package discover

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// ignoredBy tells, as a walk would, whether p is ignored by ignore files given
// by folder: p itself, or a folder above it.
func ignoredBy(ignores map[string]string, p string, isDir, fold bool) bool {
	stack := (*ignoreStack)(nil).with(parseIgnore(".gitignore", "", ignores[""], fold))
	parts := strings.Split(p, "/")
	for i := range parts {
		prefix := strings.Join(parts[:i+1], "/")
		last := i == len(parts)-1
		if stack.ignores(prefix, !last || isDir, &meter{left: stepsOne}) {
			return true
		}
		if text, ok := ignores[prefix]; ok && !last {
			stack = stack.with(parseIgnore(prefix+"/.gitignore", prefix, text, fold))
		}
	}
	return false
}

func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		rules, path string
		dir, want   bool
	}{
		{"*.log", "a/b.log", false, true},
		{"/a.log", "b/a.log", false, false},
		{"build/", "build", false, false},
		{"build/", "x/build", true, true},
		{"build/", "build/a.go", false, true},
		{"*.js\n!keep.js", "keep.js", false, false},
		{"dir\n!dir/keep", "dir/keep", false, true},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"**/b", "x/y/b", false, true},
		{"a/**", "a", true, false},
		{"a/**", "a/x", false, true},
		{"a/*", "a/x/y", false, true},
		{"a*/c", "ab/x/c", false, false},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"# comment\r\nx\r\n", "x", false, true},
		{"x  ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"[!a]x", "bx", false, true},
		{"[a-c]x", "bx", false, true},
		{"[[:digit:]]", "7", false, true},
		{"[", "[", false, false},
		{"/", "a", false, false},
		{"!", "a", false, false},
		{"\ufeffx", "x", false, true},
	} {
		if got := ignoredBy(map[string]string{"": c.rules}, c.path, c.dir, false); got != c.want {
			t.Errorf("%q ignores %q (dir %v): %v", c.rules, c.path, c.dir, got)
		}
	}
}

// TestIgnoresAsGit compares random rules and paths with git check-ignore, with
// and without case.
func TestIgnoresAsGit(t *testing.T) {
	needsGit(t)
	for seed := range rounds(60) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		ignores := map[string]string{"": randomRules(rnd)}
		for _, dir := range []string{"a", "b", "a/b", "ab/a"} {
			if rnd.IntN(3) == 0 {
				ignores[dir] = randomRules(rnd)
			}
		}
		compareWithGit(t, rnd, ignores, seed%4 == 3)
	}
}

func compareWithGit(t *testing.T, rnd *rand.Rand, ignores map[string]string, fold bool) {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "", "init", "-q")
	for d, text := range ignores {
		jailtest.Write(t, dir, strings.TrimPrefix(d+"/.gitignore", "/"), text)
	}
	var paths []string
	for range 150 {
		if p := randomPath(rnd); !isFolder(ignores, p) {
			paths = append(paths, p)
		}
	}
	out := git(t, dir, strings.Join(paths, "\x00")+"\x00", "-c", fmt.Sprintf("core.ignorecase=%v", fold), "check-ignore", "-z",
		"--stdin", "--no-index")
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(out, "\x00") {
		ignored[p] = true
	}
	for _, p := range paths {
		if got := ignoredBy(ignores, p, false, fold); got != ignored[p] {
			t.Errorf("%q: %v, git says %v, rules %q, fold %v", p, got, ignored[p], ignores, fold)
		}
	}
}

// isFolder reports whether p exists as a folder because an ignore file is in it.
func isFolder(ignores map[string]string, p string) bool {
	for dir := range ignores {
		if p == "" || dir == p || strings.HasPrefix(dir, p+"/") {
			return true
		}
	}
	return false
}

// ruleParts are put together to rules, most of which mean something.
var ruleParts = []string{
	"a", "b", "ab", "A", "B", "c.go", "*", "**", "?", "/", "/", "/", "*.go", "a*", "**/", "/**", "***", "/**/", "a/**/b", " ", "-",
	".", "#", "!",
	"[ab]", "[!a]", "[^b]", "[a-c]", "[A-C]", "[]a]", "[!]a]", "[b-", "[a", "[a-]", "[-a]", "[c-a]", `[\]]`, `[\a-\c]`, "[/]",
	"[a/b]", "[B]",
	"[[:alpha:]]", "[[:upper:]]", "[[:space:]]", "[![:digit:]]", "[[:alnum:]-]", "[[:nope:]]", "[[:alpha]", "[[:punct:]#]",
	"[[:xdigit:]]",
	`\a`, `\*`, `\?`, `\[`, `\#`, `\!`, `\ `, `\A`, `\/`, `\`, `\\`, "ü", "\t",
}

func randomRules(rnd *rand.Rand) string {
	var b strings.Builder
	if rnd.IntN(8) == 0 {
		b.WriteString("\ufeff")
	}
	for range 1 + rnd.IntN(5) {
		b.WriteString([]string{"", "", "", "", "", "", "!", "!", "/", `\#`, `\!`, "#"}[rnd.IntN(12)])
		for range 1 + rnd.IntN(4) {
			b.WriteString(ruleParts[rnd.IntN(len(ruleParts))])
		}
		b.WriteString([]string{"", "", "", "", "/", "/", " ", `\ `, "  ", `\`, "\r", "/ "}[rnd.IntN(12)])
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), []string{"", "\n"}[rnd.IntN(2)])
}

func randomPath(rnd *rand.Rand) string {
	names := []string{"a", "b", "ab", "ba", "c.go", "a.go", "*", "-", "abc", "a b", "aab", "A", "B", "aB", "C.GO", "#", "#a", "!",
		"!a", "a ", "[", "]", "\\", "ü", "7", ".a", "\t"}
	parts := make([]string, 1+rnd.IntN(4))
	for i := range parts {
		parts[i] = names[rnd.IntN(len(names))]
	}
	return strings.Join(parts, "/")
}

// TestHostilePatternsAreCounted matches rows of hostile patterns against long paths: what each path takes is
// counted and ends at the bound, which one match passes at most.
func TestHostilePatternsAreCounted(t *testing.T) {
	deep := strings.Repeat("a/", 300) + "a"
	for name, line := range map[string]string{
		"folders":    strings.Repeat("**/", 60) + "z",
		"folders2":   strings.Repeat("***/", 60) + "*z*",
		"mixed":      strings.Repeat("a/**/", 60) + "?z",
		"names":      strings.Repeat("**/*a*/", 60) + "z?",
		"stars":      strings.Repeat("a*", 500) + "[z]",
		"star":       strings.Repeat("*", 10_000) + "z*",
		"class":      "**/[" + strings.Repeat("[:alpha:]", 1000) + "]/z?",
		"unclosed":   "**/*[" + strings.Repeat("ab", 10_000),
		"negated":    "!" + strings.Repeat("**/a*", 60) + "z?",
		"long start": strings.Repeat("a/", 290) + "*z?",
		"question":   strings.Repeat("?", 300) + "z*",
	} {
		for _, fold := range []bool{false, true} {
			f := parseIgnore(".gitignore", "", strings.Repeat(line+"\n", maxConfigSize/len(line)), fold)
			for _, p := range []string{deep, strings.Repeat("a", 3000), "b/" + strings.Repeat("ab", 100)} {
				m := &meter{left: stepsOne}
				if ignored, _ := f.match(p, false, m); ignored {
					t.Errorf("%s ignores %.20q", name, p)
				}
				if m.left < -glob.MaxSteps-len(line) {
					t.Errorf("%s takes %d steps", name, stepsOne-m.left)
				}
			}
		}
	}
}

// TestFoldersInARowMeanOne compares patterns of several "**/" with git, whose own search for them takes time
// exponential in their number.
func TestFoldersInARowMeanOne(t *testing.T) {
	needsGit(t)
	for _, rules := range []string{"**/**/b", "a/**/**/**/b", "a/**/**", "**/**", "***/**/b", "a**/**/b", "x?a**/**/b",
		"[a/**/**/b]", `a\/**/**/b`,
		`\**/**/b`, "/**/**/b/", "a/**/**b", "a/**/b**/**/c"} {
		compareWithGit(t, rand.New(rand.NewPCG(1, 7)), map[string]string{"": rules}, false)
	}
	f := parseIgnore(".gitignore", "", strings.Repeat(strings.Repeat("**/", 60)+"[z]\n", 100), false)
	m := &meter{left: stepsOne}
	f.match(strings.Repeat("a/", 60)+"x.go", false, m)
	if m.left < 0 {
		t.Error("a hundred lines take over a million steps")
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.go\n!a/[b-d]/**\n", "a/b/c.go")
	f.Fuzz(func(t *testing.T, rules, p string) {
		if len(rules)+len(p) < 500 && !strings.Contains(p, "//") {
			ignoredBy(map[string]string{"": rules}, p, false, false)
			ignoredBy(map[string]string{"": rules}, p, true, true)
		}
	})
}
