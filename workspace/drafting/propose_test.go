package drafting

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func proposeFiles() map[string]string {
	all := workspacetest.ReadFiles()
	all["src/README.md"] = "# Signing\n\nTokens are signed here.\n"
	all["src/sign_test.go"] = "package src\n\nimport \"testing\"\n\nfunc TestSign(t *testing.T) {}\n"
	all["notes.txt"] = "Keys rotate monthly.\n"
	all["rotation/keys.go"] = keysGo("monthly")
	all["zero.dat"] = strings.Repeat("\x00", 64) // valid UTF-8, and no text
	all["blank.txt"] = " \n"
	all["docs/.hidden/a.md"] = "x\n"
	for _, name := range []string{"keys/id_rsa", "keys/tls.key", "credentials.json", "prod.env"} {
		all[name] = "something that is kept\n"
	}
	all["try.ipynb"] = "{\"cells\": []}\n"
	all["empty/.keep"] = ""
	return all
}

// keysGo is a file whose comment is drafted from where it is selected.
func keysGo(how string) string {
	return "package rotation\n\n// Keys rotate " + how + ".\nfunc Rotate() {}\n"
}

// ofKeys selects it.
func ofKeys() *DraftRequest {
	return &DraftRequest{Path: "rotation/keys.go", Start: 18, End: len(keysGo("weekly"))}
}

func propose(t *testing.T, w *workspace.Workspace, req ProposeRequest) *ProposeResponse {
	t.Helper()
	r, err := Propose(t.Context(), w.View(), req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	return r
}

func TestProposalIsHeldAndNothingChanges(t *testing.T) {
	w := workspacetest.Open(t, proposeFiles(), workspace.Options{})
	before := w.View().Tree().Fingerprint()
	dry := propose(t, w, ProposeRequest{Selection: ofKeys(), AnyTopic: true, DryRun: true})
	if dry.Report.Batch != 0 || len(dry.Operations) == 0 || !strings.Contains(dry.Report.Diff, "Keys rotate monthly") {
		t.Errorf("dry run: %+v", dry.Report)
	}
	held := propose(t, w, ProposeRequest{Selection: ofKeys(), AnyTopic: true, Author: "ada"})
	if held.Report.Batch == 0 || held.Report.Summary.Pending != len(held.Operations) || held.Report.Diff != dry.Report.Diff ||
		held.Model != "" {
		t.Errorf("held: %+v\ndry: %s", held.Report, dry.Report.Diff)
	}
	if after := w.View().Tree().Fingerprint(); after != before {
		t.Error("the tree changed before anybody looked")
	}
	reviews, err := curation.Reviews(t.Context(), w, struct{}{})
	if err != nil || len(reviews.Reviews) != 1 || reviews.Reviews[0].Author != "ada" || !reviews.Reviews[0].Items[0].Held {
		t.Fatalf("%+v, %v", reviews, err)
	}
	if _, err := curation.Approve(t.Context(), w, curation.BatchRequest{Batch: held.Report.Batch}); err != nil {
		t.Fatal(err)
	}
	if after := w.View().Tree().Fingerprint(); after == before {
		t.Error("the approved proposal is not in the tree")
	}
}

func TestProposeReadsWhatIsOpen(t *testing.T) {
	w := workspacetest.Open(t, proposeFiles(), workspace.Options{})
	w.Overlay("rotation/keys.go", keysGo("weekly"))
	if r := propose(t, w, ProposeRequest{Selection: ofKeys(), AnyTopic: true, DryRun: true}); !strings.Contains(
		r.Report.Diff, "rotate weekly") {
		t.Errorf("the open buffer is not what was drafted from:\n%s", r.Report.Diff)
	}
}

// TestMaterial gathers sources of each kind.
func TestMaterial(t *testing.T) {
	w := workspacetest.Open(t, proposeFiles(), workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	sign := workspacetest.Files["src/sign.go"]
	for name, c := range map[string]struct {
		req  ProposeRequest
		want string
	}{
		"code and text": {ProposeRequest{Files: []string{"src/sign.go", "notes.txt"}},
			"src/sign.go code go [SignToken]; notes.txt text  []"},
		"the same twice": {ProposeRequest{Files: []string{"notes.txt", "./notes.txt"}}, "notes.txt text  []"},
		"a folder": {ProposeRequest{Folder: "./src/"},
			"src/README.md markdown markdown []; src/sign.go code go [SignToken]; src/long.go code go [x]; src/use.go code go " +
				"[err]; src/odd:10.go code go []"},
		"with a file": {ProposeRequest{Files: []string{"notes.txt", "src/long.go", "src/use.go"}, Folder: "src"},
			"notes.txt text  []; src/long.go code go [x]; src/use.go code go [err]; src/README.md markdown markdown []; " +
				"src/sign.go code go [SignToken]"},
		"a selection": {ProposeRequest{Selection: &DraftRequest{Path: "src/sign.go", Start: strings.Index(sign, "//"),
			End: len(sign)}}, "src/sign.go selection go [SignToken] 3-4"},
	} {
		m, _, err := material(t.Context(), w.View(), c.req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, s := range m.Sources {
			line := s.Path + " " + string(s.Kind) + " " + s.Language + " [" + strings.Join(s.Symbols, " ") + "]"
			if s.EndLine > 0 {
				line += " " + strconv.Itoa(s.StartLine) + "-" + strconv.Itoa(s.EndLine)
			}
			got = append(got, line)
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, text, c.want)
		}
	}
}

// TestSelectionInsideAKeyIsVeiled: lines of a key's body do not show what they are; the file does.
func TestSelectionInsideAKeyIsVeiled(t *testing.T) {
	all := proposeFiles()
	body := strings.Repeat("MIIEowIBAAKCAQEAx7Vn3kQ2pLr8sT0uYwZbDfGhJkMqWeRtYuIoPaSdFgHjKl12\n", 6)
	all["src/key.go"] = "package src\n\n// Key is the key of the tests.\nconst Key = `-----BEGIN RSA PRIVATE KEY-----\n" + body +
		"-----END RSA PRIVATE KEY-----`\n\n// After it.\nvar after = 1\n"
	w := workspacetest.Open(t, all, workspace.Options{})
	text := all["src/key.go"]
	from := strings.Index(text, "MIIE") + 65
	for _, end := range []int{from + 130, len(text)} {
		m, _, err := material(t.Context(), w.View(), ProposeRequest{Selection: &DraftRequest{Path: "src/key.go", Start: from, End: end}})
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Sources[0]; strings.Contains(s.Text, "MIIE") || !strings.Contains(s.Text, "[REDACTED:") || s.StartLine != 6 {
			t.Errorf("%d: lines %d-%d: %q", end, s.StartLine, s.EndLine, s.Text)
		}
		d, err := Draft(t.Context(), w.View(), DraftRequest{Path: "src/key.go", Start: from, End: end})
		if err != nil || strings.Contains(d.Text, "MIIE") {
			t.Errorf("a draft for an editor: %v %s", err, d.Text)
		}
	}
}

const tokensDir = ".brv/context-tree/auth/jwt/"

// TestFolderSaysHowToGetToTheRest: the same files are chosen each time.
func TestFolderSaysHowToGetToTheRest(t *testing.T) {
	all := proposeFiles()
	for i := range 9 {
		all[fmt.Sprintf("many/f%d.go", i)] = fmt.Sprintf("package many\n\nfunc Do%d() {}\n", i)
	}
	w := workspacetest.Open(t, all, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		req  ProposeRequest
		want string
	}{
		{ProposeRequest{Folder: "many"},
			"5 of 9 files of many were used: many/f0.go, many/f1.go, many/f2.go, many/f3.go, many/f4.go; left out: " +
				"many/f5.go, many/f6.go, many/f7.go, many/f8.go; to use others, name a deeper folder or files"},
		{ProposeRequest{Folder: "many", Files: []string{"notes.txt", "src/use.go", "src/sign.go"}},
			"2 of 9 files of many were used: many/f0.go, many/f1.go; left out: many/f2.go, many/f3.go, many/f4.go, " +
				"many/f5.go, many/f6.go and 2 more; to use"},
		{ProposeRequest{Folder: "src", Files: []string{"notes.txt", "many/f1.go"}},
			"3 of 7 files of src were used: src/README.md, src/sign.go, "},
	} {
		_, notes, err := material(t.Context(), w.View(), c.req)
		if err != nil || !strings.HasPrefix(strings.Join(notes, "\n"), c.want) {
			t.Errorf("%q, %v, want %q", notes, err, c.want)
		}
	}
}

// TestLongSourceIsCut and says so.
func TestLongSourceIsCut(t *testing.T) {
	all := proposeFiles()
	all["long.txt"] = strings.Repeat("A line.\r\n", 10_000)
	w := workspacetest.Open(t, all, workspace.Options{})
	s, err := source(t.Context(), w.View(), "long.txt")
	if err != nil || len(s.Text) != 40_000 || !strings.Contains(s.Note, "only the first 40000 of 90000 characters") {
		t.Errorf("%d bytes, note %q, %v", len(s.Text), s.Note, err)
	}
}

func TestProposeRefusesWithTheName(t *testing.T) {
	all := proposeFiles()
	w := workspacetest.Open(t, all, workspace.Options{Untrusted: "nobody does"})
	if runtime.GOOS != "windows" {
		if err := errors.Join(os.Symlink("../.env", filepath.Join(w.Root(), "src", "link.txt")),
			os.Symlink("..", filepath.Join(w.Root(), "src", "up"))); err != nil {
			t.Fatal(err)
		}
	}
	of := func(names ...string) ProposeRequest { return ProposeRequest{Files: names} }
	for _, c := range []struct {
		req  ProposeRequest
		want string
	}{
		{ProposeRequest{}, "files: nothing to draft from; give files, a folder, a selection or changes"},
		{ProposeRequest{Instruction: "look"}, "files: nothing to draft from"},
		{of("a", "b", "c", "d", "e", "f"), "files: 6 files; the limit is 5"},
		{of("../../etc/passwd"), `files: "../../etc/passwd" is not a path inside the folder`},
		{of("/etc/passwd"), `files: "/etc/passwd" is not a path inside the folder`},
		{of("../x.md"), `files: "../x.md" is not a path inside the folder`},
		{of(`a\b.md`), `is not a path inside the folder`},
		{of(".env"), "files: .env was not read: hidden files"},
		{of("keys/id_rsa"), "files: keys/id_rsa: drafts are not made from files with keys or credentials"},
		{of("keys/tls.key"), "files: keys/tls.key: drafts are not made from files with keys"},
		{of("credentials.json"), "files: credentials.json: drafts are not made from files with keys"},
		{of("prod.env"), "files: prod.env: drafts are not made from files with keys"},
		{ProposeRequest{Selection: &DraftRequest{Path: "credentials.json", End: 9}}, "selection: credentials.json: drafts are not made from files with keys"},
		{of("try.ipynb"), "files: try.ipynb: drafts are not made from notebooks; export the notebook as Markdown or as a script first"},
		{of("auth/jwt/rotation"), "files: " + tokensDir +
			"rotation.md is an entry, and drafts are not made from whole entries; name the file that the entry is about, or select a part of the entry"},
		{of(".brv/context-tree/auth/jwt/rotation.md"), "rotation.md is an entry"},
		{of(".git/a.md"), "files: .git/a.md was not read: hidden files"},
		{of("notes.txt", "gone.go"), "files: there is no entry or file gone.go"},
		{of("src"), "files: src is a folder"},
		{of("src/bin.dat"), "files: src/bin.dat"},
		{of("zero.dat"), "files: zero.dat: not a text file: line 1 has a zero byte"},
		{of("src/latin.txt"), "files: src/latin.txt: not a text file: line 1 is not UTF-8"},
		{of("blank.txt"), "files: blank.txt is empty"},
		{of("src/link.txt"), "files: src/link.txt is a symbolic link"},
		{of("src/up/notes.txt"), "files: src/up/notes.txt: src/up is a symbolic link"},
		{ProposeRequest{Folder: "../"}, `folder: "../" is not a path inside the folder`},
		{ProposeRequest{Folder: "docs/.hidden"}, "folder: docs/.hidden: hidden folders are not read"},
		{ProposeRequest{Folder: ".brv"}, "folder: .brv: hidden folders are not read"},
		{ProposeRequest{Folder: "gone"}, "folder: no folder gone"},
		{ProposeRequest{Folder: "notes.txt"}, "folder: notes.txt is a file"},
		{ProposeRequest{Folder: "src/up"}, "folder: src/up: src/up is a symbolic link"},
		{ProposeRequest{Folder: "empty"}, "folder: empty has no code or documents"},
		{ProposeRequest{Folder: "src", Files: []string{"notes.txt", "src/long.go", "src/use.go", "src/sign.go", "src/crlf.txt"}},
			"folder: files of "},
		{ProposeRequest{Selection: &DraftRequest{Path: ".env", End: 3}}, "selection: .env was not read: hidden files"},
		{ProposeRequest{Selection: &DraftRequest{Path: "notes.txt"}}, "selection: notes.txt: select some text first"},
		{ProposeRequest{Selection: &DraftRequest{Path: "notes.txt", Start: 4, End: 900}}, "selection: notes.txt: select some text"},
		{ProposeRequest{Changes: "--output=x"}, `changes: must be worktree, staged or a commit, not "--output=x"`},
		{ProposeRequest{Changes: "HEAD; rm"}, "must be worktree"},
		{ProposeRequest{Changes: strings.Repeat("a", 300)}, "must be worktree"},
		{ProposeRequest{Changes: "staged", Instruction: strings.Repeat("a", 5000)}, "instruction: 5000 bytes"},
	} {
		if runtime.GOOS == "windows" && strings.Contains(c.want, "is a symbolic link") {
			continue
		}
		_, err := Propose(t.Context(), w.View(), c.req)
		if !errors.Is(err, workspace.ErrRequest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.req, err, c.want)
		}
	}
	if _, err := Propose(t.Context(), w.View(), ProposeRequest{Changes: "staged"}); err == nil ||
		!strings.Contains(err.Error(), "git was not run: nobody does") {
		t.Errorf("git in a folder that is not trusted: %v", err)
	}
	bare := workspacetest.Open(t, map[string]string{"a.txt": "a"}, workspace.Options{})
	if _, err := Propose(t.Context(), bare.View(), of("a.txt")); !errors.Is(err, workspace.ErrNoTree) {
		t.Errorf("without a tree: %v", err)
	}
}

// TestProposeAsksTheModelWhereItMay and has the rules draft where it may not, or fails.
func TestProposeAsksTheModelWhereItMay(t *testing.T) {
	says := llmtest.Turn{Say: llm.Response{Text: `{"operations":[{"type":"ADD","path":"auth/jwt","title":"Keys rotate","reason":"notes","content":{"narrative":{"rules":"- Keys rotate monthly."}}}]}`}}
	fails := llmtest.Turn{Err: errors.New("overloaded\nand more")}
	for name, c := range map[string]struct {
		turns     []llmtest.Turn
		untrusted string
		req       ProposeRequest
		model     bool
		note      string
	}{
		"a model":     {turns: []llmtest.Turn{says}, model: true},
		"not trusted": {untrusted: "nobody does"},
		"not wanted":  {req: ProposeRequest{NoModel: true}},
		"it fails": {turns: []llmtest.Turn{fails},
			note: "could not draft: overloaded and more; the draft was made without a model"},
	} {
		w := workspacetest.Open(t, proposeFiles(), workspace.Options{Untrusted: c.untrusted, NoCode: true})
		provider.UseModel(w, provider.ModelState{Provider: "given"}, llmtest.New(t, c.turns...), nil)
		c.req.Selection, c.req.AnyTopic = ofKeys(), true
		r := propose(t, w, c.req)
		if (r.Model != "") != c.model || !strings.Contains(strings.Join(r.Notes, "\n"), c.note) || r.Report.Batch == 0 {
			t.Errorf("%s: model %q, notes %q, report %+v", name, r.Model, r.Notes, r.Report)
		}
	}
}

func TestCancelledDraftFallsBackOnNothing(t *testing.T) {
	w := workspacetest.Open(t, proposeFiles(), workspace.Options{NoCode: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancels := llmtest.Turn{Wait: func(context.Context) error { cancel(); return context.Canceled }}
	provider.UseModel(w, provider.ModelState{Provider: "given"}, llmtest.New(t, cancels), nil)
	if r, err := Propose(ctx, w.View(), ProposeRequest{Files: []string{"notes.txt"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := curation.Reviews(t.Context(), w, struct{}{}); err != nil || len(r.Reviews) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWhoAsksForADraftAnswersForIt(t *testing.T) {
	agent := format.Origin{Kind: format.OriginAgent, Tool: "tester"}
	rules, model := format.Origin{Kind: format.OriginRules, Tool: "brv-lsp", Commit: "1a2b"},
		format.Origin{Kind: format.OriginModel, Tool: "brv-lsp", Model: "m"}
	for _, c := range []struct{ draft, who, want format.Origin }{
		{rules, format.Origin{}, rules},
		{model, format.Origin{}, model},
		{rules, agent, format.Origin{Kind: format.OriginAgent, Tool: "tester", Commit: "1a2b"}},
		{model, agent, format.Origin{Kind: format.OriginModel, Tool: "tester", Model: "m"}},
	} {
		if got := askedBy(c.draft, c.who); got != c.want {
			t.Errorf("%+v asked by %+v: %+v", c.draft, c.who, got)
		}
	}
}

// What waits already is not held twice, and the notes say first why nothing was drafted.
func TestProposedTwiceWaitsOnce(t *testing.T) {
	w := workspacetest.Open(t, proposeFiles(), workspace.Options{NoCode: true})
	req := ProposeRequest{Selection: ofKeys(), AnyTopic: true}
	first, again := propose(t, w, req), propose(t, w, req)
	if first.Report.Waited || !again.Report.Waited || again.Report.Batch != first.Report.Batch ||
		again.Report.Diff != first.Report.Diff || again.Report.Diff == "" {
		t.Errorf("%+v, then %+v", first.Report, again.Report)
	}
	if r, err := curation.Reviews(t.Context(), w, struct{}{}); err != nil || len(r.Reviews) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	text, err := curation.ReviewText(w, "1")
	if err != nil || !strings.Contains(text, "`brv-lsp review approve 1`") || strings.Contains(text, "brv.approve") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestNotesAreOrderedAndBounded(t *testing.T) {
	notes := []string{"a: the first 3 of 9 lines", "a: the first 3 of 9 lines"}
	for i := range 20 {
		notes = append(notes, fmt.Sprint("note ", i, strings.Repeat(" long", 200)))
	}
	got := ordered([]string{"b: nothing proposed:\nno text", "m could not draft: x; the draft was made without a model"}, notes)
	if want := []string{"b: nothing proposed: no text", "m could not draft: x; the draft was made without a model",
		"a: the first 3 of 9 lines"}; !slices.Equal(got[:3], want) {
		t.Errorf("%q", got[:3])
	}
	if len(got) != maxNotes+1 || got[maxNotes] != "notes left out: 13" || len(got[5]) > maxNote+len("…") {
		t.Errorf("%d notes: %q", len(got), got[maxNotes])
	}
}

// A difference that the document of a review cuts is said to be cut, and is not offered to be
// approved from there.
func TestACutReviewSaysSo(t *testing.T) {
	w := workspacetest.Open(t, proposeFiles(), workspace.Options{NoCode: true})
	var lines strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	add := plan.Op{Type: plan.OpAdd, Path: "notes/long", Title: "Long", Reason: "r",
		Content: format.Content{Snippets: []string{lines.String()}}}
	if _, err := curation.Curate(t.Context(), w, plan.Batch{Ops: []plan.Op{add}, Hold: plan.HoldAll}); err != nil {
		t.Fatal(err)
	}
	text, err := curation.ReviewText(w, "1")
	if err != nil || strings.Contains(text, "review approve") || strings.Contains(text, "Approve") ||
		strings.Count(text, "`brv-lsp review show 1`") != 2 || !strings.Contains(text, "is cut here") ||
		strings.Contains(text, "line 7999") {
		t.Errorf("%v\n%.400s", err, text)
	}
	if all, _ := curation.PendingOn(w.View(), "notes/long/long.md"); len(all) != 1 || !all[0].Cut {
		t.Errorf("%+v", all)
	}
}

// A selection counts as one of the files, and comes first.
func TestASelectionIsOneOfTheFiles(t *testing.T) {
	files := proposeFiles()
	var names []string
	for i := range MaxMaterial {
		names = append(names, fmt.Sprintf("more/%d.txt", i))
		files[names[i]] = fmt.Sprintf("Text %d says something.\n", i)
	}
	w := workspacetest.Open(t, files, workspace.Options{NoCode: true})
	sel := &DraftRequest{Path: "more/0.txt", Start: 0, End: 6}
	if err := (ProposeRequest{Files: names, Selection: sel}).check(); err == nil || !strings.Contains(err.Error(), "5 files and a selection") {
		t.Error(err)
	}
	m, _, err := material(t.Context(), w.View(), ProposeRequest{Files: names[:MaxMaterial-2], Folder: "more", Selection: sel})
	if err != nil || len(m.Sources) > MaxMaterial || m.Sources[0].Kind != curate.KindSelection || m.Sources[1].Path != names[0] {
		t.Errorf("%d sources: %+v, %v", len(m.Sources), m.Sources, err)
	}
}
