package pack

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Random sequences of tasks, cursors, budgets and edits give the same packs with and
// without a memory; BRV_NIGHTLY=1 tries more.
func TestMemoryChangesNoPackOfASession(t *testing.T) {
	steps := sampletest.Count(60, 2000)
	for _, w := range []workspace{ownWorkspace(t), madeWorkspace(t)} {
		t.Run(w.name, func(t *testing.T) {
			random := sampletest.Rand(t)
			with, without := w.Inputs, w.Inputs
			with.Memory, with.Tokenizer = NewMemory(), tokens.DefaultEncoding
			task := w.task(random)
			moved, edits := 0, 0
			var kinds []int // each of them once in six steps, so that every part has all
			for i := range steps {
				if i%6 == 0 {
					kinds = random.Perm(6)
				}
				switch kinds[i%6] {
				case 0:
					task = w.task(random)
				case 1:
					task.Budget = w.budget(random)
				case 2:
					if code := w.edited(t, random); code != nil {
						edits++
						with.Code, with.Links = code.Code, code.Links
						without.Code, without.Links = with.Code, with.Links
					}
				default: // most often, as in an editor
					moved++
					task.File, task.Offset = w.file(random), random.IntN(9000)-1
				}
				task.Deadline = time.Time{}
				var packs [2]Pack
				var failed [2]error
				for j, in := range []Inputs{with, without} {
					packs[j], failed[j] = Build(t.Context(), in, task)
				}
				if !errors.Is(failed[1], failed[0]) && (failed[0] == nil || failed[1] == nil || failed[0].Error() != failed[1].Error()) {
					t.Fatalf("step %d: with memory %v, without %v", i, failed[0], failed[1])
				}
				if packs[0].Text != packs[1].Text || !slices.EqualFunc(packs[0].Items, packs[1].Items,
					func(a, b Item) bool { return cmp.Equal(a, b) }) || !cmp.Equal(packs[0].Missed, packs[1].Missed) {
					t.Fatalf("step %d: with memory the pack is another\ntask %+v\n%s\n%s", i, task,
						cmp.Diff(packs[1].Text, packs[0].Text), cmp.Diff(packs[1].Items, packs[0].Items))
				}
			}
			if moved == 0 || edits == 0 {
				t.Errorf("%d cursors, %d edits", moved, edits)
			}
		})
	}
}

// What stands beside a tree for a task does not have the tree searched again for the next pack.
func TestMemoryOutlivesWhatStandsBeside(t *testing.T) {
	w := madeWorkspace(t)
	in := w.Inputs
	in.Memory, in.Own = NewMemory(), in.Tree
	searched := 0
	search := in.Search
	in.Search = func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
		searched++
		return search(ctx, text, limit)
	}
	const section = "docs/a.md › Retries"
	text := "Retries end after a minute.\n"
	for range 2 {
		e := &format.Entry{Path: section, Role: format.RoleEntry, Title: "Retries", Text: text, Body: markdown.Span{End: len(text)}}
		in.Tree = in.Own.Update(map[string]*format.Entry{section: e})
		in.Beside = []retrieval.Hit{{Path: section, Title: e.Title, Score: 0.9, Passage: e.Body, Matched: []string{"retries"}}}
		p, err := Build(t.Context(), in, Task{Text: "retries", Budget: 4000})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(p.Items, func(i Item) bool { return i.Path == section }) {
			t.Errorf("the section is not in the pack:\n%s", p.Text)
		}
	}
	if searched != 1 {
		t.Errorf("the tree was searched %d times", searched)
	}
}

// edited is the workspace with a few unsaved signs in one of its files, nil if there is
// nothing to edit.
func (w workspace) edited(t *testing.T, random *rand.Rand) *Inputs {
	t.Helper()
	var path, text string
	for _, i := range random.Perm(len(w.files)) {
		if path = w.files[i]; text == "" {
			text, _ = w.Code.Read(path)
		}
		if text != "" {
			break
		}
	}
	if text == "" {
		return nil
	}
	at := random.IntN(len(text))
	code, err := w.Code.With(t.Context(), map[string]string{path: text[:at] + "\n// typed\n" + text[at:]})
	if err != nil {
		t.Fatal(err)
	}
	return &Inputs{Code: code, Links: link.Build(w.Tree, code)}
}

// A problem's words may be those of a task, which asks for more entries.
func TestMemoryKeepsHitsByTheirNumber(t *testing.T) {
	var asked []int
	b := &maker{memory: NewMemory(), in: Inputs{Search: func(_ context.Context, _ string, most int) ([]retrieval.Hit, error) {
		asked = append(asked, most)
		return nil, nil
	}}}
	for _, most := range []int{8, 2, 8, 2} {
		if _, err := b.hits(t.Context(), "totals", most); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(asked, []int{8, 2}) {
		t.Errorf("searched for %d hits", asked)
	}
}
