package contextpack

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestWrongPackRequests(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	for _, c := range []struct{ request, want string }{
		{`{"budgetTokens": 9}`, "task: the task is empty"},
		{`{"task": " \n", "budgetTokens": 9}`, "task: the task is empty"},
		{`{"task": "x"}`, "budgetTokens: must be 1 to 1000000, not 0"},
		{`{"task": "x", "budgetTokens": -4}`, "budgetTokens: must be 1 to 1000000, not -4"},
		{`{"task": "x", "budgetTokens": 2000000}`, "budgetTokens: must be 1 to 1000000, not 2000000"},
		{`{"task": "x", "budgetTokens": 9, "tokenizer": "words"}`, `tokenizer: there is no tokenizer "words"; use`},
		{`{"task": "x", "budgetTokens": 9, "strategy": "best"}`, `strategy: no strategy "best"; the strategies are relevance_first`},
		{`{"task": "x", "budgetTokens": 9, "include": ["code", "art"]}`, `include: must be knowledge or code, not "art"`},
		{`{"task": "x", "budgetTokens": 9, "boost": -1}`, "boost: must be 0 to 10, not -1"},
		{`{"task": "x", "budgetTokens": 9, "deadlineMs": -1}`, "deadlineMs: must be 0 to 600000, not -1"},
		{`{"task": "x", "budgetTokens": 9, "offset": 4}`, "offset: give the path of the file too"},
		{`{"task": "x", "budgetTokens": 9, "visible": [0, 4]}`, "visible: give the path of the file too"},
		{`{"task": "x", "budgetTokens": 9, "path": "../x.go"}`, `path: "../x.go" is not a path inside the folder`},
		{`{"task": "x", "budgetTokens": 9, "path": "/etc/passwd"}`, `path: "/etc/passwd" is not a path inside the folder`},
		{`{"task": "x", "budgetTokens": 9, "path": "src/none.go"}`, "path: src/none.go is not a readable text file of this folder"},
		{`{"task": "x", "budgetTokens": 9, "path": "src"}`, "path: src is not a readable text file of this folder"},
		{`{"task": "x", "budgetTokens": 9, "path": "src/use.go", "offset": 4000}`,
			"offset: 4000 is outside of src/use.go, which has 38 bytes"},
		{`{"task": "x", "budgetTokens": 9, "path": "src/use.go", "offset": -1}`, "offset: -1 is outside of src/use.go"},
		{`{"task": "x", "budgetTokens": 9, "path": "src/use.go", "visible": [9, 3]}`, "visible: 9 to 3 is outside of src/use.go"},
		{`{"task": "x", "budgetTokens": 9, "places": [{"path": "src/use.go", "kind": "open"}, {"path": "../x", "kind": "open"}]}`,
			`places[1].path: "../x" is not a path inside the folder`},
		{`{"task": "x", "budgetTokens": 9, "places": [{"path": "src/use.go", "kind": "seen"}]}`,
			`places[0].kind: no kind "seen"; the kinds are open edit problem reference`},
		{`{"task": "x", "budgetTokens": 9, "places": [{"path": "src/use.go", "kind": "edit", "offset": -3}]}`,
			"places[0].offset: must be 0 or more, not -3"},
		{`{"task": "x", "budgetTokens": 9, "places": [{"path": "src/use.go", "kind": "edit", "ageMs": -3}]}`,
			"places[0].ageMs: must be 0 or more, not -3"},
	} {
		var req PackRequest
		if err := json.Unmarshal([]byte(c.request), &req); err != nil {
			t.Fatal(err)
		}
		_, err := Pack(t.Context(), w.View(), req)
		if !errors.Is(err, workspace.ErrRequest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.request, err, c.want)
		}
	}
}

// TestLatePlacesArePassedOver gives a pack what an editor may still believe in.
func TestLatePlacesArePassedOver(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	req := PackRequest{Task: "sign", BudgetTokens: 500, Places: []PackPlace{
		{Path: "src/gone.go", Kind: "problem", Text: "undefined: x"},
		{Path: "src/use.go", Kind: "edit", Offset: new(int), AgeMs: 100},
	}}
	task, _, err := req.task()
	if err != nil {
		t.Fatal(err)
	}
	far := 4000
	req.Places = append(req.Places, PackPlace{Path: "src/sign.go", Kind: "edit", Offset: &far})
	if err := req.placed(&task, w.View()); err != nil {
		t.Fatal(err)
	}
	want := []pack.Place{
		{Path: "src/use.go", Offset: 0, Kind: pack.PlaceEdit, Age: 100 * time.Millisecond},
		{Path: "src/sign.go", Offset: -1, Kind: pack.PlaceEdit},
	}
	if len(task.Places) != 2 || task.Places[0] != want[0] || task.Places[1] != want[1] {
		t.Errorf("places %+v, want %+v", task.Places, want)
	}
}

func packed(t *testing.T, w *workspace.Workspace, req PackRequest) *pack.Pack {
	t.Helper()
	if req.BudgetTokens == 0 {
		req.BudgetTokens = 1000
	}
	p, err := Pack(t.Context(), w.View(), req)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPackIsGivenAgainByItsID(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	first, second := packed(t, w, PackRequest{Task: "sign tokens"}), packed(t, w, PackRequest{Task: "refresh rotation"})
	for _, p := range []*pack.Pack{first, second} {
		if kept, ok := Kept(w, p.ID); !ok || kept.Text != p.Text || p.ID == "" {
			t.Errorf("pack %q is given as %+v", p.ID, kept)
		}
	}
	if again := packed(t, w, PackRequest{Task: "sign tokens"}); again.ID != first.ID {
		t.Errorf("the same pack has the ids %s and %s", first.ID, again.ID)
	}
	if none := packed(t, w, PackRequest{Task: "zzzz qqqq"}); none.ID != "" {
		t.Errorf("a pack of nothing has the id %s", none.ID)
	}
	if _, ok := Kept(w, ""); ok {
		t.Error("there is a pack without an id")
	}
}

func TestKeptPacksAreBounded(t *testing.T) {
	var k packs
	keep := func(text string) { k.keep(&pack.Pack{ID: packID(text), Text: text}) }
	for i := range 3 * maxPacks {
		keep(strings.Repeat("x", i+1))
	}
	if len(k.kept) != maxPacks {
		t.Errorf("%d packs are kept", len(k.kept))
	}
	keep(strings.Repeat("y", maxPackBytes+1))
	if len(k.kept) != 1 {
		t.Errorf("%d packs are kept beside one that is too large", len(k.kept))
	}
}

// TestDeadlineEndsTheWaitForTheCode packs while the code is read for the first time and
// does not go on.
func TestDeadlineEndsTheWaitForTheCode(t *testing.T) {
	reading, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{Progress: func(workspace.Progress) {
		once.Do(func() {
			close(reading)
			<-goOn
		})
	}})
	defer close(goOn)
	go w.WaitCode(context.WithoutCancel(t.Context()))
	<-reading
	if _, err := w.View().Search(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := packed(t, w, PackRequest{Task: "how are access tokens signed", DeadlineMs: 60})
	if len(p.Degraded) == 0 || !strings.HasPrefix(p.Degraded[0], limits.SomeCode) {
		t.Errorf("degraded: %q", p.Degraded)
	}
	if !strings.Contains(p.Text, "Access tokens") {
		t.Errorf("without the entry:\n%s", p.Text)
	}
}

func TestPackEndsWithItsContext(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pack(ctx, w.View(), PackRequest{Task: "sign", BudgetTokens: 100, DeadlineMs: 1000}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled pack ends with %v", err)
	}
}

// Who does not trust a repository is told what its packs do without.
func TestPackTellsThatHistoryIsNotRead(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{Untrusted: "nobody said so"})
	p, err := Pack(t.Context(), w.View(), PackRequest{Task: "sign a token", BudgetTokens: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if want := limits.History + ": nobody said so"; !slices.Contains(p.Degraded, want) {
		t.Errorf("degraded %q, want %q", p.Degraded, want)
	}
}

func TestPinnedByName(t *testing.T) {
	files := map[string]string{"docs/keys.md": "# Keys\n\nAll of them.\n\n## Rotation\n\nEvery ninety days.\n"}
	maps.Copy(files, workspacetest.Files)
	w := workspacetest.Open(t, files, workspace.Options{})
	p := packed(t, w, PackRequest{Task: "sign tokens", Without: []string{"auth/jwt/tokens.md"},
		Pinned: []string{"docs/keys.md › Rotation", "src/use.go", "src/sign.go#SignToken", "src/sign.go#None", "gone.md"}})
	pinned := map[string]bool{}
	for _, i := range p.Items {
		pinned[i.Path] = i.Pinned
	}
	if _, shown := pinned["auth/jwt/tokens.md"]; shown || !pinned["docs/keys.md › Rotation"] || !pinned["src/use.go"] || !pinned["src/sign.go"] {
		t.Errorf("pinned %v", pinned)
	}
	if all := strings.Join(p.Degraded, "\n"); !strings.Contains(all, "gone.md is pinned") || !slices.Equal(p.Gone, []string{"src/sign.go#None", "gone.md"}) {
		t.Errorf("not there: %q, %s", p.Gone, all)
	}
	many := PackRequest{Task: "x", BudgetTokens: 9, Pinned: make([]string, maxPinned+1)}
	if _, err := Pack(t.Context(), w.View(), many); !errors.Is(err, workspace.ErrRequest) {
		t.Errorf("%d pinned: %v", maxPinned+1, err)
	}
}
