package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// converged is the most that passes between the last change on disk and the first answers
// that know it: ten times what is promised, for machines that do other things meanwhile.
const converged = 20 * time.Second

// gitIn runs git in a folder, without the user's settings.
func gitIn(t *testing.T, dir string) func(args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	return func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "gc.auto=0"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// branches makes a repository with two branches that differ in 1,000 entries: a third
// changed, a third deleted, a third added.
func branches(t *testing.T) (root string, git func(args ...string)) {
	t.Helper()
	root = project(t)
	git = gitIn(t, root)
	entry := func(i int) string {
		return filepath.Join(root, fmt.Sprintf(".brv/context-tree/d%d/t%d/e%d.md", i%7, i%31, i))
	}
	text := func(i int, branch string) string {
		next := (i + 1) % 1001
		return fmt.Sprintf("---\ntitle: Entry %d of %s\n---\nSee @d%d/t%d/e%d.md about tokens, and @auth/jwt/other.md.\n", i, branch,
			next%7, next%31, next)
	}
	git("init", "-q", "-b", "one")
	for i := range 1000 {
		if i%3 != 2 {
			writeFile(t, entry(i), text(i, "one"))
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "two")
	for i := range 1000 {
		switch i % 3 {
		case 0, 2:
			writeFile(t, entry(i), text(i, "two"))
		case 1:
			if err := os.Remove(entry(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "two")
	git("checkout", "-q", "one")
	return root, git
}

// uriIn finds the files that an answer names.
var uriIn = regexp.MustCompile(`file://[^"\\ )>]*`)

// files is what is on disk at one moment.
func files(t *testing.T, root string) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	_ = filepath.WalkDir(filepath.Join(root, ".brv"), func(path string, d fs.DirEntry, _ error) error {
		there[path] = true
		return nil // what went while it was read is not there
	})
	return there
}

// missing returns a file that an answer names although it was not there before the
// question and is not there now. open is what the editor itself has or had open.
func missing(answer string, before map[string]bool, open ...string) string {
	for _, u := range uriIn.FindAllString(answer, -1) {
		parsed, err := url.Parse(u)
		if err != nil {
			return u
		}
		if before[parsed.Path] || slices.Contains(open, parsed.Path) {
			continue
		}
		if _, err := os.Lstat(parsed.Path); errors.Is(err, fs.ErrNotExist) {
			return u
		}
	}
	return ""
}

type jsonText string

func (j *jsonText) UnmarshalJSON(raw []byte) error { *j = jsonText(raw); return nil }

// checkoutQuestions are asked about a document while its folder is switched to another
// branch: all that names files, in short lists and in lists of hundreds.
var checkoutQuestions = []struct {
	method string
	params map[string]any
}{
	{"textDocument/definition", map[string]any{"position": lsptest.Position{Line: 0, Character: 32}}},
	{"textDocument/hover", map[string]any{"position": lsptest.Position{Line: 0, Character: 32}}},
	{"textDocument/references", map[string]any{"position": lsptest.Position{Line: 0, Character: 8},
		"context": map[string]any{"includeDeclaration": true}}},
	{"textDocument/documentLink", map[string]any{}},
	{"textDocument/completion", map[string]any{"position": lsptest.Position{Line: 2, Character: 2}}},
	{"textDocument/diagnostic", map[string]any{}},
	{"workspace/symbol", map[string]any{"query": "entry"}},
	{"workspace/diagnostic", map[string]any{"previousResultIds": []any{}}},
}

// TestCheckoutConverges switches the branch below a running session that is asked all
// the while. No answer, before, during or after, names a file that was gone before the
// question; what goes between the question and the reading of its answer may be named.
func TestCheckoutConverges(t *testing.T) {
	t.Parallel()
	root, git := branches(t)
	// A range is that of the text which the server knows, and the check reads another one.
	e, _ := startBut(t, lsp.Options{Now: fixedNow}, func(violation string) bool {
		return strings.Contains(violation,
			" is not in file://")
	})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if _, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, ".brv/context-tree/auth/jwt/asks.md")
	if err := e.Open(file, "", "See @auth/jwt/other.md and @d0/t0/e0.md, @d1/t1/e1.md\n\n@d\n"); err != nil {
		t.Fatal(err)
	}
	answers, named := 0, 0
	ask := func(when string) {
		for _, q := range checkoutQuestions {
			params := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}}
			maps.Copy(params, q.params)
			before := files(t, root)
			var raw jsonText
			if err := e.Call(ctx, q.method, params, &raw); err != nil && code(err) != -32601 && code(err) != -32801 {
				t.Errorf("%s: %v", q.method, err)
			}
			if gone := missing(string(raw), before, file, filepath.Join(root, ".brv/context-tree/ask.md")); gone != "" {
				t.Errorf("%s, %s: %s is not there", when, q.method, gone)
			}
			answers, named = answers+1, named+len(uriIn.FindAllString(string(raw), -1))
		}
	}
	rounds := []string{"two"}
	if long {
		rounds = []string{"two", "one", "two", "one", "two"}
	}
	for _, branch := range rounds {
		answers, named = 0, 0
		var asking sync.WaitGroup
		stop := make(chan struct{})
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					ask("during checkout of " + branch)
				}
			}
		})
		git("checkout", "-q", branch)
		last, wrong := time.Now(), "not asked"
		for wrong != "" && time.Since(last) < converged {
			wrong = otherBranch(t, e, ctx, root, branch)
		}
		took := time.Since(last)
		close(stop)
		asking.Wait()
		if wrong != "" {
			t.Fatalf("%s: not converged: %s", branch, wrong)
		}
		ask("after checkout of " + branch)
		t.Logf("checkout of %s: converged %v after git ended; %d answers with %d places", branch, took.Round(time.Millisecond),
			answers, named)
	}
}

// otherBranch returns an entry that is not known as a branch has it: of each third of the
// entries some are looked at.
func otherBranch(t *testing.T, e *lsptest.Editor, ctx context.Context, root, branch string) string {
	t.Helper()
	text := ""
	for i := range 1000 {
		if i%50 < 3 {
			text += fmt.Sprintf("@d%d/t%d/e%d.md\n", i%7, i%31, i)
		}
	}
	file := filepath.Join(root, ".brv/context-tree/ask.md")
	if err := e.Open(file, "", text); err != nil {
		t.Fatal(err)
	}
	defer e.CloseDocument(file)
	offset := 0
	for line := range strings.Lines(text) {
		var i int
		fmt.Sscanf(line[strings.LastIndex(line, "/e")+2:], "%d", &i)
		h, err := e.Hover(ctx, file, offset+1)
		if err != nil {
			t.Fatal(err)
		}
		offset += len(line)
		here := i%3 == 0 || i%3 == 1 && branch == "one" || i%3 == 2 && branch == "two"
		title := fmt.Sprintf("Entry %d of %s", i, branch)
		if here != (h != nil && strings.Contains(h.Contents.Value, title)) {
			return fmt.Sprintf("%s: %+v", title, h)
		}
	}
	return ""
}

// TestFilesChangeUnderUs deletes, renames and replaces what is being asked about.
func TestFilesChangeUnderUs(t *testing.T) {
	steps := sampletest.Count(1000, 10_000)
	root := project(t)
	e, ctx := startBut(t, lsp.Options{Now: fixedNow}, raced)
	if _, err := e.Initialize(ctx, lsptest.Session{Folders: []string{root}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	open(t, e, root, tokens)
	var racing sync.WaitGroup
	stop := make(chan struct{})
	racing.Go(func() { // not waiting for anybody
		random := sampletest.Rand(t)
		for range steps {
			race(random, root)
		}
		close(stop)
	})
	p := newProbe(t, e, root)
	p.name = "racer"
	for n := 0; ; n++ {
		select {
		case <-stop:
		default:
			name := fmt.Sprintf(".brv/context-tree/auth/r%d.md", n%4)
			p.everywhere(filepath.Join(root, name), "See @auth/r1.md and `r2.go`\n", 6)
			p.everywhere(filepath.Join(root, tokens), "---\ntitle: Tokens\n---\nSee @auth/jwt/other.md\n", 30)
			p.whole(filepath.Join(root, fmt.Sprintf("r%d.go", n%4)))
			continue
		}
		break
	}
	racing.Wait()
	for i := range 4 { // all the same state at last: gone
		_ = os.RemoveAll(filepath.Join(root, fmt.Sprintf(".brv/context-tree/auth/r%d.md", i)))
		_ = os.RemoveAll(filepath.Join(root, fmt.Sprintf("r%d.go", i)))
	}
	last := time.Now()
	for {
		var found json.RawMessage
		if err := e.Call(ctx, "workspace/symbol", map[string]any{"query": "r"}, &found); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(found), "auth/r") {
			break
		}
		if time.Since(last) > converged {
			t.Fatalf("not dropped: %s", found)
		}
	}
	t.Logf("%d steps; dropped after %v", steps, time.Since(last).Round(time.Millisecond))
	p.report()
}

// racedPlace is a place that is not in one of the racing files, or in what lies below one that
// became a folder.
var racedPlace = regexp.MustCompile(`range \{\{(\d+) (\d+)\} \{(\d+) (\d+)\}\} is not in file://.*/r[0-3]\.(md|go)(/inside/x\.md)?$`)

// raced reports whether a violation is a place in a text that a racing file has had: nobody has
// them open, and they are others, or gone, when the editor looks.
func raced(violation string) bool {
	at := racedPlace.FindStringSubmatch(violation)
	if at == nil {
		return false
	}
	position := func(line, character string) (p lsptest.Position) {
		p.Line, _ = strconv.Atoi(line)
		p.Character, _ = strconv.Atoi(character)
		return p
	}
	start, end := position(at[1], at[2]), position(at[3], at[4])
	return slices.ContainsFunc([]string{racingCode, fmt.Sprintf(racingEntry, 9, 0), fmt.Sprintf(racingEntry, 99, 0)},
		func(text string) bool {
			_, err := lsptest.OffsetIn(text, start, "utf-16")
			_, err2 := lsptest.OffsetIn(text, end, "utf-16")
			return err == nil && err2 == nil
		})
}

// What the racing files hold. The title of an entry has a number of one or two digits.
const (
	racingCode  = "package auth\n\nfunc R() {}\n"
	racingEntry = "---\ntitle: R %d\n---\nSee @auth/r%d.md\n"
)

// race does one step to one of a few files, whatever stands there.
func race(random *rand.Rand, root string) {
	name := filepath.Join(root, fmt.Sprintf("r%d.go", random.IntN(4)))
	text := racingCode
	if random.IntN(2) == 0 {
		name = filepath.Join(root, fmt.Sprintf(".brv/context-tree/auth/r%d.md", random.IntN(4)))
		text = fmt.Sprintf(racingEntry, random.IntN(100), random.IntN(4))
	}
	switch random.IntN(6) {
	case 0, 1:
		_ = os.WriteFile(name, []byte(text), 0o644)
	case 2:
		_ = os.RemoveAll(name)
	case 3:
		_ = os.Rename(name, filepath.Join(filepath.Dir(name), fmt.Sprintf("r%d%s", random.IntN(4), filepath.Ext(name))))
	case 4:
		_ = os.RemoveAll(name)
		_ = os.MkdirAll(filepath.Join(name, "inside"), 0o755)
		_ = os.WriteFile(filepath.Join(name, "inside", "x.md"), []byte(text), 0o644)
	case 5:
		_ = os.RemoveAll(name)
		_ = os.Symlink("r0"+filepath.Ext(name), name)
	}
}
