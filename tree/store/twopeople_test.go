package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// sharedEntry is what two people change, as operations write entries. The old form states what is
// counted now.
const (
	sharedPath  = "auth/tokens/refresh.md"
	sharedEntry = `---
title: Refresh tokens
summary: How tokens are renewed
tags: [auth, tokens]
related: [auth/tokens/lifetime.md, auth/tokens/keys.md]
keywords: [rotation, replay]
createdAt: '2026-03-01T10:00:00.000Z'
---
## Reason
Decided with the login.

## Raw Concept
**Task:**
Renew tokens

**Files:**
- src/refresh.ts

## Narrative
### Rules
- A token works once

## Facts
- **ttl**: Tokens live for a week = ` + "`7d`" + ` [convention]

---

refresh(token)
`
)

func oldForm(text string) string {
	text = strings.Replace(
		text, "createdAt", "importance: 62.5\nrecency: 0.8\nmaturity: draft\naccessCount: 3\nupdateCount: 2\ncreatedAt", 1)
	return strings.Replace(text, "\n---\n##", "\nupdatedAt: '2026-03-02T10:00:00.000Z'\n---\n##", 1)
}

// changes are what one person does, who is told apart by a word.
var changes = []struct {
	name string
	do   func(who string) plan.Op
}{
	{"title", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Title: "Refresh " + who}
	}},
	{"summary", func(who string) plan.Op { return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Summary: "By " + who} }},
	{"tag", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Content: format.Content{Lists: format.Lists{Tags: []string{who}}}}
	}},
	{"related", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Content: format.Content{Relations: []string{"auth/tokens/" + who + ".md"}}}
	}},
	{"keyword", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Content: format.Content{Lists: format.Lists{Keywords: []string{who}}}}
	}},
	{"confirm", func(string) plan.Op { return plan.Op{Type: plan.OpConfirm, Path: sharedPath} }},
	{"reason", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Replace: []format.Part{"reason"}}
	}},
	{"task", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath,
			Content: format.Content{RawConcept: format.RawConcept{Task: "Renew for " + who}}}
	}},
	{"file", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath,
			Content: format.Content{RawConcept: format.RawConcept{Files: []string{"src/" + who + ".ts"}}}}
	}},
	{"rule", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath,
			Content: format.Content{Narrative: format.Narrative{Rules: "- A token works once\n- So says " + who}}}
	}},
	{"fact", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath,
			Content: format.Content{Facts: []format.Fact{{Subject: who, Statement: "said it"}}}}
	}},
	{"snippet", func(who string) plan.Op {
		return plan.Op{Type: plan.OpUpdate, Path: sharedPath, Content: format.Content{Snippets: []string{"call(" + who + ")"}}}
	}},
	{"merge of another", func(who string) plan.Op {
		return plan.Op{Type: plan.OpMerge, Path: "auth/tokens/more_" + who + ".md", MergeTarget: sharedPath}
	}},
	{"rename of a related", func(who string) plan.Op {
		return plan.Op{Type: plan.OpMove, Path: "auth/tokens/lifetime.md", To: "auth/tokens/lifetime_" + who + ".md"}
	}},
}

// colleague is a clone of one repository, whose tree somebody changes.
type colleague struct {
	t   *testing.T
	dir string
}

func (p colleague) git(args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c",
		"merge.conflictStyle=merge"}, args...)...)
	c.Dir = p.dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := c.CombinedOutput()
	return string(out), err
}

func (p colleague) must(args ...string) {
	p.t.Helper()
	if out, err := p.git(args...); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// does applies an operation at a time, and commits what it changes on a branch of its own.
func (p colleague) does(branch string, at time.Time, op plan.Op) {
	p.t.Helper()
	p.must("checkout", "-q", "-b", branch, "main")
	if err := os.RemoveAll(filepath.Join(p.dir, ".brv", "state")); err != nil { // a fresh clone
		p.t.Fatal(err)
	}
	s, err := Open(p.t.Context(), filepath.Join(p.dir, ".brv"), Options{Now: func() time.Time { return at }})
	if err != nil {
		p.t.Fatal(err)
	}
	defer s.Close()
	op.Reason = "because of " + branch
	if r := mustApply(p.t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{op}}); r.Summary.Failed > 0 {
		p.t.Fatalf("%s: %+v", branch, r.Results)
	}
	p.must("add", ".brv/context-tree")
	p.must("commit", "-q", "-m", branch)
}

func repository(t *testing.T, files map[string]string) colleague {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	p := colleague{t, filepath.Dir(onDisk(t, files))}
	p.must("init", "-q", "-b", "main")
	p.must("add", ".brv")
	p.must("commit", "-q", "-m", "start")
	return p
}

// TestTwoPeopleChangeOneEntry does each pair of changes on two branches, by people on two days, and
// has git merge them. A pair conflicts where both change the same lines, or lines that touch: git
// takes these for one place.
func TestTwoPeopleChangeOneEntry(t *testing.T) {
	for _, form := range []string{"new", "old"} {
		text := sharedEntry
		if form == "old" {
			text = oldForm(text)
		}
		files := map[string]string{sharedPath: text, "auth/tokens/lifetime.md": "# Lifetime\n", "auth/tokens/keys.md": "# Keys\n"}
		for _, who := range []string{"ada", "bo"} {
			files["auth/tokens/more_"+who+".md"] = "---\ntitle: More\n---\n## Narrative\n### Highlights\n" + who + " knows more.\n"
			files["auth/tokens/"+who+".md"] = "# " + who + "\n"
		}
		p := repository(t, files)
		for i, c := range changes {
			p.does(fmt.Sprint("ada", i), time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), c.do("ada"))
			p.does(fmt.Sprint("bo", i), time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), c.do("bo"))
		}
		p.does("again", time.Date(2026, 11, 21, 17, 0, 0, 0, time.UTC), plan.Op{Type: plan.OpConfirm, Path: sharedPath})
		var out strings.Builder
		merges := func(a, b string) bool {
			_, err := p.git("merge-tree", "--write-tree", a, b)
			return err == nil
		}
		pairs, conflicts := 0, 0
		for i, a := range changes {
			for j, b := range changes[:i+1] {
				if pairs++; !merges(fmt.Sprint("ada", i), fmt.Sprint("bo", j)) || !merges(fmt.Sprint("ada", j), fmt.Sprint("bo", i)) {
					conflicts++
					fmt.Fprintf(&out, "%s and %s\n", b.name, a.name)
				}
			}
		}
		t.Logf("%s form: %d of %d pairs conflict", form, conflicts, pairs)
		want, _ := os.ReadFile("testdata/twopeople/" + form + ".golden")
		if goldentest.Updating() {
			if err := os.WriteFile("testdata/twopeople/"+form+".golden", []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s form: pairs that conflict (-want +got)\n%s", form, diff)
		}
		if at := fmt.Sprint("ada", confirmChange()); !merges(at, "again") {
			t.Error("two who confirm on one day are in each other's way")
		}
	}
}

// A folder that one moves while another adds an entry to it: git asks where the entry belongs, and
// loses nothing; its relation to what was moved is a problem of the entry until somebody mends it.
func TestAFolderIsMovedWhileAnEntryComes(t *testing.T) {
	p := repository(t, map[string]string{sharedPath: sharedEntry, "auth/tokens/lifetime.md": "# Lifetime\n",
		"auth/tokens/keys.md": "# Keys\n"})
	p.does("move", time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), plan.Op{Type: plan.OpMove, Path: "auth/tokens", To: "auth/renewal"})
	p.does("new", time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), plan.Op{Type: plan.OpAdd, Path: "auth/tokens", Title: "New",
		Summary: "s", Content: format.Content{Relations: []string{"auth/tokens/keys.md"}}})
	out, err := p.git("merge", "move")
	if err == nil || !strings.Contains(out, "file location") || strings.Count(out, "CONFLICT") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	s := opened(t, filepath.Join(p.dir, ".brv")).Snapshot()
	problems := s.Problems("auth/renewal/new.md")
	if len(problems) != 1 || problems[0].Code != format.CodeBroken {
		t.Errorf("%+v\n%v", problems, entryPaths(s))
	}
}

func confirmChange() int {
	for i, c := range changes {
		if c.name == "confirm" {
			return i
		}
	}
	return -1
}
