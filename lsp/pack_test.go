package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// packing is a server with one folder of the files, as a request finds it.
func packing(t *testing.T, enc position.Encoding, files map[string]string) *scene {
	t.Helper()
	root := t.TempDir()
	for p, text := range files {
		path := filepath.Join(root, p)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := state.NewFolder(root)
	s := newServer(t.Context(), silent{}, Options{}.withDefaults())
	s.Client.Encoding = enc
	s.Folders.Add(f)
	f.Open(t.Context(), workspace.Options{})
	t.Cleanup(func() { f.Close(s.Client.Log) })
	if _, err := f.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	sc := s.sceneOf(f)
	sc.Path = "a.go"
	return sc
}

// asked returns the request that a command gets from a client's request about the scene.
func asked[Req any](t *testing.T, sc *scene, name, raw string) *Req {
	t.Helper()
	req, err := readRequest(commands[name], []byte(raw))
	if err == nil {
		err = sc.fill(commands[name], req)
	}
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return req.own.(*Req)
}

var encodings = []position.Encoding{position.UTF8, position.UTF16, position.UTF32}

const unicodeCode = "package a\r\n\nvar s = \"😀é\" // sign\n\nfunc Sign() {}\n"

// TestPackRequestIsInBytes gives places in the client's terms and wants those of the
// workspace; what lies outside, cannot be read or says nothing is left out.
func TestPackRequestIsInBytes(t *testing.T) {
	for _, enc := range encodings {
		sc := packing(t, enc, map[string]string{"a.go": "on disk", "b/ü.go": unicodeCode})
		buffer := "// 😀 unsaved\n" + unicodeCode
		sc.Folder.Overlay("a.go", buffer)
		sc.View = sc.Workspace.View()
		at := func(text, part string) protocol.Position {
			return position.NewMapper(text, enc).Position(strings.Index(text, part))
		}
		in := func(path, text, part string, more map[string]any) map[string]any {
			place := map[string]any{"uri": string(sc.Folder.URI(path)), "range": protocol.Range{Start: at(text, part),
				End: at(text, part)}, "position": at(text, part)}
			for k, v := range more {
				place[k] = v
			}
			return place
		}
		only := func(place map[string]any, drop string) map[string]any {
			delete(place, drop)
			return place
		}
		other := uri.File(t.TempDir() + "/x.go")
		raw, err := json.Marshal(map[string]any{
			"task": "sign", "budgetTokens": 100, "strategy": "breadth_first", "tokenizer": "cl100k_base", "deadlineMs": 50,
			"position": at(buffer, "Sign()"), "visible": protocol.Range{Start: at(buffer, "package"), End: at(buffer, "func")},
			"openFiles": []string{string(other), "%zz", string(sc.Folder.URI("b/ü.go")), string(sc.Folder.URI("a.go")),
				string(sc.Folder.URI("gone.go"))},
			"edits": []any{only(in("b/ü.go", unicodeCode, "é", map[string]any{"ageMs": 1500.5}), "range")},
			"diagnostics": []any{
				only(in("a.go", buffer, "sign\n", map[string]any{"severity": 1, "message": "wrong"}), "position"),
				only(in("a.go", buffer, "func", map[string]any{"severity": 4, "message": "a hint"}), "position"),
				only(in("a.go", buffer, "func", map[string]any{"message": strings.Repeat("é", 300)}), "position"),
			},
			"references": []any{
				only(in("b/ü.go", unicodeCode, "Sign()", nil), "position"),
				map[string]any{"uri": string(other), "range": protocol.Range{}},
				map[string]any{"uri": string(sc.Folder.URI("gone.go")),
					"range": map[string]any{"start": map[string]any{"line": 1.7e308, "character": -1}, "end": map[string]any{}}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		tr := translator{sc: sc, mappers: map[string]*position.Mapper{}}
		got, err := tr.request(*asked[packParams](t, sc, packCommand, string(raw)), &session{open: []string{"not asked for"}})
		if err != nil {
			t.Fatal(err)
		}
		offset := func(text, part string) *int { return new(strings.Index(text, part)) }
		want := contextpack.PackRequest{
			Task: "sign", BudgetTokens: 100, Strategy: "breadth_first", Tokenizer: "cl100k_base", DeadlineMs: 50,
			Path: "a.go", Offset: offset(buffer, "Sign()"), Visible: &[2]int{strings.Index(buffer, "package"),
				strings.Index(buffer, "func")},
			Places: []contextpack.PackPlace{
				{Path: "b/ü.go", Kind: "open"}, {Path: "gone.go", Kind: "open"},
				{Path: "b/ü.go", Kind: "edit", Offset: offset(unicodeCode, "é"), AgeMs: 1500},
				{Path: "a.go", Kind: "problem", Offset: offset(buffer, "sign\n"), Text: "wrong"},
				{Path: "a.go", Kind: "problem", Offset: offset(buffer, "func"), Text: strings.Repeat("é", 250)},
				{Path: "b/ü.go", Kind: "reference", Offset: offset(unicodeCode, "Sign()")},
				{Path: "gone.go", Kind: "reference"},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", enc.Kind(), diff)
		}
	}
}

// TestPackKnowsTheSession leaves out what the editor could send: the server has its own.
func TestPackKnowsTheSession(t *testing.T) {
	sc := packing(t, position.UTF16, map[string]string{"a.go": "aaaa", "b.go": "bbbb", "c.go": "cccc"})
	s, now := sc.server, time.Unix(1000, 0)
	s.Client.Now = func() time.Time { return now }
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		didOpen(s, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{URI: sc.Folder.URI(name), Text: name}})
	}
	change := `{"textDocument":{"uri":"` + string(sc.Folder.URI("b.go")) + `","version":2},
		"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":0,"character":1}},"text":"xy"}]}`
	if err := didChange(s, []byte(change)); err != nil {
		t.Fatal(err)
	}
	now = now.Add(3 * time.Second)
	sc.View = sc.Workspace.View()
	tr := translator{sc: sc, mappers: map[string]*position.Mapper{}}
	got, err := tr.request(*asked[packParams](t, sc, packCommand, "{}"), s.session())
	if err != nil {
		t.Fatal(err)
	}
	want := []contextpack.PackPlace{{Path: "c.go", Kind: "open"}, {Path: "b.go", Kind: "open"},
		{Path: "b.go", Kind: "edit", Offset: new(3), AgeMs: 3000}}
	if diff := cmp.Diff(want, got.Places); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	tr = translator{sc: sc, mappers: map[string]*position.Mapper{}}
	none := asked[packParams](t, sc, packCommand, `{"openFiles":[],"edits":[]}`)
	if got, err := tr.request(*none, s.session()); err != nil || len(got.Places) > 0 {
		t.Errorf("the client said that there are none: %v, %v", got.Places, err)
	}
}

func TestPlacesAreBounded(t *testing.T) {
	sc := packing(t, position.UTF16, map[string]string{"a.go": "a"})
	p := packParams{OpenFiles: make([]string, 1000), References: make([]referring, 1000)}
	for i := range p.OpenFiles {
		p.OpenFiles[i] = string(sc.Folder.URI("b.go"))
		p.References[i].URI = p.OpenFiles[i]
	}
	tr := translator{sc: sc, mappers: map[string]*position.Mapper{}}
	got, err := tr.request(p, &session{})
	if err != nil || len(got.Places) != maxPlaces {
		t.Errorf("%d places, %v", len(got.Places), err)
	}
}

// TestItemsHaveRanges checks the lines of items against the text, in each encoding.
func TestItemsHaveRanges(t *testing.T) {
	for _, enc := range encodings {
		sc := packing(t, enc, map[string]string{"a.go": unicodeCode, ".brv/context-tree/x/y/z.md": "one\ntwo"})
		tr := translator{sc: sc, mappers: map[string]*position.Mapper{}}
		for _, test := range []struct {
			item pack.Item
			want string // of the range's text; "-" for no range
		}{
			{pack.Item{Kind: pack.KindCode, Path: "a.go", Lines: [2]int{3, 3}}, "var s = \"😀é\" // sign"},
			{pack.Item{Kind: pack.KindCode, Path: "a.go", Lines: [2]int{1, 2}}, "package a\r\n"},
			{pack.Item{Kind: pack.KindEntry, Path: "x/y/z.md", Lines: [2]int{1, 2}}, "one\ntwo"},
			{pack.Item{Kind: pack.KindCode, Path: "a.go"}, "-"},
			{pack.Item{Kind: pack.KindCode, Path: "a.go", Lines: [2]int{5, 99}}, "-"},
			{pack.Item{Kind: pack.KindCode, Path: "gone.go", Lines: [2]int{1, 1}}, "-"},
		} {
			got := tr.items([]pack.Item{test.item})[0]
			text := "-"
			if got.Range != nil {
				m := tr.mapper(sc.View.FilePath(test.item.Path))
				if test.item.Kind == pack.KindCode {
					m = tr.mapper(test.item.Path)
				}
				text = m.Span(*got.Range).Of(m.Text)
			}
			if text != test.want {
				t.Errorf("%s %s %v: %q", enc.Kind(), test.item.Path, test.item.Lines, text)
			}
		}
	}
}
