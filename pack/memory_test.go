package pack

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
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
			var before [2]Pack
			task := w.task(random, &before[0])
			moved, edits := 0, 0
			var kinds []int // each of them once in six steps, so that every part has all
			for i := range steps {
				if i%6 == 0 {
					kinds = random.Perm(6)
				}
				switch kinds[i%6] {
				case 0:
					task = w.task(random, &Pack{})
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
				goesOn := random.IntN(4) == 0
				var packs [2]Pack
				var failed [2]error
				for j, in := range []Inputs{with, without} {
					if task.Before = nil; goesOn {
						task.Before = &before[j]
					}
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
				before = packs
			}
			if moved == 0 || edits == 0 {
				t.Errorf("%d cursors, %d edits", moved, edits)
			}
		})
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
