package store

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// victim is the tree that the payloads are for.
var victim = map[string]string{
	"auth/jwt/context.md":     "# Topic: jwt\n",
	"auth/jwt/signing.md":     "---\ntitle: Signing\nimportance: 90\nmaturity: core\n---\n## Facts\n- Tokens are signed\n",
	"auth/jwt/rotation.md":    "---\ntitle: Rotation\nrelated: [auth/jwt/signing.md]\n---\n## Facts\n- Keys rotate\n",
	"auth/session/cookies.md": "# Cookies\n",
	"billing/tax/a.md":        "# A\n", "billing/tax/b.md": "# B\n", "billing/tax/c.md": "# C\n", "billing/tax/d.md": "# D\n",
	"billing/tax/e.md": "# E\n", "billing/tax/f.md": "# F\n",
	"_archived/auth/old/x.stub.md": "---\noriginal_path: \"auth/old/x.md\"\npoints_to: \"_archived/auth/old/x.full.md\"\ntype: " +
		"archive_stub\n---\n\n# X\n", "_archived/auth/old/x.full.md": "# X\n",
	"auth/evil/y.md": "# Y\n", "_index.md": "---\ntype: summary\n---\n",
}

// payload is what an agent or a model might say; refused tells that none of it may be held.
type payload struct {
	name    string
	ops     []plan.Op
	refused bool
}

func payloads() (out []payload) {
	good := format.Content{Facts: []format.Fact{{Statement: "looks fine"}}}
	add := func(refused bool, name string, ops ...plan.Op) { out = append(out, payload{name, ops, refused}) }
	companion := plan.Op{Type: plan.OpAdd, Path: "auth/jwt", Title: "Companion", Content: good, Reason: "r"}

	// Places that no operation may name, each in four operations, beside one that is fine.
	long := strings.Repeat("x", 121)
	for _, place := range []string{
		"..", "../x.md", "../../etc/passwd", "a/../../x.md", "auth/../../../x.md", "auth/jwt/..",
		"auth/jwt/../../../.git/hooks/pre-commit", "..\\x.md", "..\\..\\x", "C:\\a\\b.md", "%2e%2e/x.md", "a/%2e%2e/x.md",
		"auth/jwt/%00.md", "a/b/c\x00.md", "/etc/passwd", "/a/b/c.md", "//server/share/x.md", "~/x.md", "~root/x.md", "C:/x.md",
		"C:\\x.md", "c:x.md", "file:///etc/passwd", "a/b/c.md:stream",
		".git/hooks/pre-commit", "../.git/config", ".brv/config.json", ".brv/state/review/000001.json", ".brv/../.git/config",
		"auth/.hidden/x.md", ".hidden/a/x.md", "auth/jwt/.x.md", "@.brv/context-tree/../config.json",
		"_archived/auth/old/x.stub.md", "_archived/auth/old/x.full.md", "_archived", "_archived/a/b/c.md", "auth/jwt/_index.md",
		"_index.md", "auth/jwt/context.md", "auth/new/context.md", "_manifest.json",
		"auth/jwt/_manifest.json", "auth/jwt/x.stub.md", "auth/jwt/x.full.md", "auth/jwt/x.abstract.md", "auth/jwt/x.overview.md",
		"CON/a/x.md", "a/NUL/x.md", "auth/jwt/aux.md", "auth/jwt/com1.md", "auth/jwt/LPT9.md",
		"auth/jwt/nul.txt.md", "auth/jwt/x..md", "auth/jwt/x .md", "auth/jwt/" + long + ".md", long + "/jwt/x.md", "a/b/c/d/e.md",
		"a/b/c/d/e/f/g.md", "auth/jwt/a?.md", "auth/jwt/a*.md", "auth/jwt/a|b.md", "auth/jwt/<a>.md",
		"auth/jwt/e\u0301.md", "auth/jwt/a\u202eb.md", "auth/jwt/a\u200bb.md", "auth/jwt/a#b.md", "auth/jwt/a\nb.md",
		"auth/jwt/a\x1bb.md", "", " ", ".", "./", "auth/jwt/signing.md/x.md", "link/a/x.md", "auth/link.md", "auth/linked/x.md",
		"auth/jwt/out.md",
	} {
		add(true, "ADD at "+place, companion, plan.Op{Type: plan.OpAdd, Path: place, Title: "T", Content: good, Reason: "r"})
		add(true, "DELETE of "+place, companion, plan.Op{Type: plan.OpDelete, Path: place, Reason: "r"})
		if place != "" {
			add(true, "MERGE into "+place, companion, plan.Op{Type: plan.OpMerge, Path: "auth/jwt/rotation.md", MergeTarget: place,
				Reason: "r"})
			add(true, "MOVE to "+place, companion, plan.Op{Type: plan.OpMove, Path: "auth/jwt/rotation.md", To: place, Reason: "r"})
		}
	}
	// Too much at once.
	many := func(n int, op func(i int) plan.Op) (ops []plan.Op) {
		for i := range n {
			ops = append(ops, op(i))
		}
		return ops
	}
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, n := range []int{21, 100, 1000, 1001, 10_000} {
		add(true, fmt.Sprint(n, " operations"), many(n, func(i int) plan.Op {
			return plan.Op{Type: plan.OpAdd, Path: "auth/jwt", Title: fmt.Sprint("T", i), Content: good, Reason: "r"}
		})...)
	}
	add(true, "6 deletes", many(6, func(i int) plan.Op {
		return plan.Op{Type: "delete", Path: "billing/tax/" + names[i] + ".md", Reason: "r"}
	})...)
	add(true, "6 merges", many(6, func(i int) plan.Op {
		return plan.Op{Type: " Merge ", Path: "billing/tax/" + names[i] + ".md", MergeTarget: "auth/jwt/signing.md", Reason: "r"}
	})...)
	add(true, "a folder of 6", plan.Op{Type: plan.OpDelete, Path: "billing/tax", Reason: "r"})
	add(true, "a domain", plan.Op{Type: plan.OpDelete, Path: "billing", Reason: "r"})
	add(true, "all domains", plan.Op{Type: plan.OpDelete, Path: "billing", Reason: "r"}, plan.Op{Type: plan.OpDelete, Path: "auth",
		Reason: "r"})
	add(true, "folders and more", append(many(5, func(i int) plan.Op {
		return plan.Op{Type: plan.OpDelete, Path: "billing/tax/" + names[i] + ".md", Reason: "r"}
	}),
		plan.Op{Type: plan.OpDelete, Path: "auth/session", Reason: "r"})...)

	// What is well-formed, and waits.
	for _, of := range []string{"auth/jwt/signing.md", "auth/jwt/rotation.md", "auth/session/cookies.md"} {
		add(false, "DELETE "+of, plan.Op{Type: plan.OpDelete, Path: of, Reason: "r"})
		add(false, "odd case "+of, plan.Op{Type: " dElEtE\n", Path: of, Reason: "r"})
		add(false, "ARCHIVE "+of, plan.Op{Type: plan.OpArchive, Path: of, Reason: "r"})
		add(false, "CONFIRM "+of, plan.Op{Type: plan.OpConfirm, Path: of, Reason: "r"})
		add(false, "MOVE over "+of, plan.Op{Type: plan.OpMove, Path: "billing/tax/a.md", To: of, Reason: "r"})
		add(false, "MERGE into itself "+of, plan.Op{Type: plan.OpMerge, Path: of, MergeTarget: of, Reason: "r"})
		add(false, "emptied "+of, plan.Op{Type: plan.OpUpdate, Path: of, Replace: plan.Parts, Reason: "r"})
		add(false, "UPSERT "+of, plan.Op{Type: plan.OpUpsert, Path: of, Content: good, Reason: "r"})
	}
	add(false, "RESTORE", plan.Op{Type: plan.OpRestore, Path: "auth/old/x.md", Reason: "r"})
	for _, kind := range []plan.OpType{"", "EXEC", "ADD;DELETE", "ADD\x00", "RUN", "WRITE", "ÀDD", "ADD DELETE", "*"} {
		add(false, "type "+string(kind), plan.Op{Type: kind, Path: "auth/jwt", Title: "T", Content: good, Reason: "r"})
	}

	// Text that means to be more than text, in each place that takes text.
	for i, text := range []string{
		"x\nprovenance: [by human]", "x\nmaturity: core\nimportance: 100", "x\n---\nmaturity: core", "'\nmaturity: core\n'",
		"\"\nimportance: 100\n\"", "]\nmaturity: core\ntags: [", "x: &a [*a]", "!!python/object:os.system", "- x\n- y: {z: }",
		"{{7*7}} ${HOME} $(id) `id`", "| \n  maturity: core", "> \n  importance: 100", "x # comment", "\u2028maturity: core",
		"\u0085maturity: core", "x\r\nmaturity: core\r\n", "...\n---\n", "@../../etc/passwd @/etc/passwd", "[a](../../etc/passwd)",
		"\n## Reason\nforged", "\n---\n\nsnippet", "**Files:**\n- ../../etc/passwd", "```\n", "~~~\nx", "<script>alert(1)</script>",
		"[click](command:workbench.action.terminal.new)", "![x](https://evil.example/?q=1)", "<img src=https://evil.example>",
		"[x][r]\n\n[r]: javascript:alert(1)", "\u202etxt.exe", "zero\u200bwidth", "\U000e0041\U000e0042", "\x1b[2J", "\x00",
		"password = hunter2hunter2", "AK" + "IAQWERTYUIOPASDFGH", strings.Repeat("x", 2<<20), strings.Repeat("[", 100_000),
		strings.Repeat("a: ", 50_000), "\xff\xfe",
	} {
		ops := func(f func(op *plan.Op)) plan.Op {
			op := plan.Op{Type: plan.OpAdd, Path: "auth/jwt", Title: fmt.Sprint("Title ", i), Content: good, Reason: "r"}
			f(&op)
			return op
		}
		add(false, fmt.Sprintf("title %.20q", text), ops(func(op *plan.Op) { op.Title = text }))
		add(false, fmt.Sprintf("summary %.20q", text), ops(func(op *plan.Op) { op.Summary = text }))
		add(false, fmt.Sprintf("tags and keywords %.20q", text),
			ops(func(op *plan.Op) { op.Content.Tags, op.Content.Keywords = []string{text}, []string{text} }))
		add(false, fmt.Sprintf("relation %.20q", text), ops(func(op *plan.Op) { op.Content.Relations = []string{text} }))
		add(false, fmt.Sprintf("reason and fact %.20q", text), ops(func(op *plan.Op) {
			op.Reason, op.Content.Facts = text, []format.Fact{{Subject: text, Statement: text, Value: text}}
		}))
		add(false, fmt.Sprintf("raw concept %.20q", text), ops(func(op *plan.Op) {
			op.Content.RawConcept = format.RawConcept{Task: text, Files: []string{text}, Flow: text, Author: text,
				Patterns: []format.Pattern{{Pattern: text, Description: text}}}
		}))
		add(false, fmt.Sprintf("narrative %.20q", text), ops(func(op *plan.Op) {
			op.Content.Narrative = format.Narrative{Rules: text, Diagrams: []format.Diagram{{Type: text, Title: text, Content: text}}}
			op.Content.Snippets = []string{text}
		}))
		add(len(text) > format.MaxFileSize, fmt.Sprintf("contexts %.20q", text), ops(func(op *plan.Op) {
			op.Path = "newdomain/newtopic"
			op.DomainContext, op.TopicContext = &plan.DomainContext{Purpose: text},
				&plan.TopicContext{Overview: text, KeyConcepts: []string{text}}
		}))
	}
	return out
}

// hashes are all files and links of a folder but the state, by path.
func treeHashes(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && filepath.ToSlash(rel) == ".brv/state":
			return filepath.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			out[rel] = "→ " + to
			return err
		case d.IsDir():
			out[rel] = "folder"
			return nil
		}
		data, err := os.ReadFile(name)
		out[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever an agent or a model proposes: nothing is done, no file changes outside the
// journal, and what must not be held is refused as a whole. What is held keeps no secret,
// shows nothing that runs, and states no provenance of its own.
func TestNothingMaliciousIsDone(t *testing.T) {
	dir := onDisk(t, victim)
	project := filepath.Dir(dir)
	outside := t.TempDir()
	for _, d := range []string{".git/hooks", "src"} {
		if err := os.MkdirAll(filepath.Join(project, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{".brv/config.json": "{}", ".git/config": "[core]\n", "src/a.go": "package a\n"} {
		if err := os.WriteFile(filepath.Join(project, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": outside, "auth/linked": filepath.Join(dir, tree.Dir, "billing"),
		"auth/link.md": filepath.Join(dir, tree.Dir, "auth/jwt/signing.md"), "auth/jwt/out.md": filepath.Join(outside, "x.md")} {
		if err := os.Symlink(to, filepath.Join(dir, tree.Dir, filepath.FromSlash(name))); err != nil {
			t.Skip(err)
		}
	}
	s := opened(t, dir)
	before := treeHashes(t, project)
	all, due := payloads(), sampletest.Every(t, 3)
	tried, held, refused := 0, 0, 0
	var waiting []int
	for i, p := range all {
		if !due(i) {
			continue
		}
		tried++
		origin := format.Origin{Kind: format.OriginModel, Tool: "brv-lsp", Model: "m"}
		if i%2 == 1 {
			origin.Kind = format.OriginAgent
		}
		b := plan.Batch{Ops: p.ops, Author: "mallory", Hold: []plan.Hold{plan.HoldNone, plan.HoldRisky, plan.HoldAll}[i%3],
			Atomic: i%5 == 0, Origin: origin}
		r, err := s.Apply(t.Context(), b)
		if err != nil {
			if !p.refused {
				t.Errorf("%s: %v", p.name, err)
			}
			refused++
			continue
		}
		waits := 0
		for _, res := range r.Results {
			switch {
			case res.Status == plan.StatusPending:
				waits++
			case res.Status == plan.StatusSuccess && !res.Unchanged:
				t.Errorf("%s: done: %+v", p.name, res)
			case res.Status == plan.StatusFailed && res.Message == "":
				t.Errorf("%s: failed without a word", p.name)
			}
		}
		if p.refused && waits > 0 {
			t.Errorf("%s: held: %+v", p.name, r.Results)
		}
		if (waits > 0) != (r.Batch != 0) || len(r.Files) > 0 {
			t.Errorf("%s: %d wait, %+v", p.name, waits, r)
		}
		if waits == 0 {
			refused++
			continue
		}
		held++
		if held%3 == 0 || p.ops[0].Type != plan.OpAdd { // each is two transactions
			waiting = append(waiting, r.Batch)
		}
		checkHeld(t, s, p.name, r.Batch)
	}
	after := treeHashes(t, project)
	if len(before) != len(after) {
		t.Errorf("%d files before, %d after", len(before), len(after))
	}
	for name, hash := range after {
		if before[name] != hash {
			t.Errorf("%s changed", name)
		}
	}
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Errorf("written outside: %v", list)
	}
	t.Logf("%d of %d payloads: %d refused, %d held, 0 done", tried, len(all), refused, held)
	if few := 100 * tried / len(all); len(all) < 300 || held < few || refused < few {
		t.Errorf("fewer than 300 payloads, or than %d of them that are held or refused", few)
	}
	var state strings.Builder
	err := filepath.WalkDir(filepath.Join(dir, "state"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(name)
			state.Write(data)
		}
		return err
	})
	for _, secret := range []string{"hunter2hunter2", "IAQWERTYUIOPASDFGH"} {
		if err != nil || strings.Contains(state.String(), secret) {
			t.Errorf("%s stands in the state (%v)", secret, err)
		}
	}
	approveHeld(t, s, project, waiting)
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Errorf("written outside: %v", list)
	}
}

// approveHeld approves what was held, each on the tree as it was before: only the files of the
// tree change that the report names, and taking it back leaves every byte as it was.
func approveHeld(t *testing.T, s *Store, project string, batches []int) {
	t.Helper()
	before := treeHashes(t, project)
	approved := 0
	for _, id := range batches {
		r, err := s.Approve(t.Context(), id, "ada", plan.Decision{})
		if err != nil {
			t.Fatalf("%d: %v", id, err)
		}
		if r.Batch == 0 || len(r.Files) == 0 {
			continue
		}
		approved++
		after := treeHashes(t, project)
		for name := range after {
			if before[name] == "" {
				before[name] = "none"
			}
		}
		for name, was := range before {
			if is := after[name]; is == was || is == "" && was == "none" {
				continue
			}
			at, inTree := strings.CutPrefix(filepath.ToSlash(name), ".brv/"+tree.Dir+"/")
			made := slices.ContainsFunc(r.Files, func(f string) bool { return f == at || strings.HasPrefix(f, at+"/") })
			if e, there := s.Snapshot().Entry(at); !inTree || !made || there &&
				(len(sanitize.Unsafe(e.Text)) > 0 || len(secrets.Scan(e.Text)) > 0 || e.Signals.Maturity == format.Core &&
					!strings.Contains(at, "auth/jwt/signing.")) {
				t.Errorf("%d: %s changed, the report names %v", id, name, r.Files)
			}
		}
		if _, err := s.Undo(t.Context(), r.Batch, "ada", "back"); err != nil {
			t.Fatalf("%d: %v", id, err)
		}
		again := treeHashes(t, project)
		for name, was := range before {
			if was == "none" {
				delete(before, name)
				was = ""
			}
			if again[name] != was {
				t.Fatalf("%d: %s is not as it was", id, name)
			}
		}
	}
	t.Logf("%d of %d approved", approved, len(batches))
	if approved < len(batches)/2 {
		t.Errorf("%d of %d could be approved", approved, len(batches))
	}
}

// checkHeld looks at what approving would give.
func checkHeld(t *testing.T, s *Store, name string, batch int) {
	t.Helper()
	r, _, err := s.Reviews.read(batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range r.Items {
		before, after, editable, err := s.Reviews.Proposed(batch, item.Path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := format.Parse(item.Path, after)
		if editable != item.Editable() || !editable {
			continue
		}
		p, ok := e.Provenance()
		if item.Op.Type.Normal() == plan.OpConfirm { // which says nothing of its own
			if was, had := format.Parse(item.Path, before).Provenance(); p != was || ok != had ||
				e.Body.Of(e.Text) != format.Parse(item.Path, before).Body.Of(before) {
				t.Errorf("%s: a confirmation changes %q to %q", name, before, after)
			}
			continue
		}
		if !ok || p.Human() || p.Kind != r.Origin.Kind || p.Model != "m" || p.EditedBy != "" {
			t.Errorf("%s: provenance %+v, %v in\n%.500s", name, p, ok, after)
		}
		if before == "" && (e.Signals.Maturity != "" || e.Signals.Has) {
			t.Errorf("%s: signals %+v", name, e.Signals)
		}
		if found := sanitize.Unsafe(after); len(found) > 0 {
			t.Errorf("%s: %s", name, found[0].What)
		}
		if found := secrets.Scan(after); len(found) > 0 {
			t.Errorf("%s: a secret: %+v", name, found)
		}
		if format.Invisible(e.Text) != nil || firstProblem(e, format.CodeFrontmatter).Code != "" {
			t.Errorf("%s: %+v", name, e.Problems)
		}
	}
}

// JSON that is more than a batch, in depth or size, is an error or a batch, soon.
func TestHostileBatchesAreRead(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 100_000), strings.Repeat(`{"operations":`, 20_000), `[{"type":` + strings.Repeat("[", 50_000), "", "null",
		"{}", "[]", "[null]", `{"operations":null}`, `"x"`, "\x00", "[{}]x",
		`[{"type":"ADD","type":"DELETE"}]`, `{"origin":{"kind":"human"},"operations":[]}`,
		`{"Origin":{"kind":"human"},"operations":[]}`, `[{"provenance":["by human"]}]`, `[{"content":{"provenance":"x"}}]`,
		`[{"type":"ADD","held":false}]`,
		`{"operations":[` + strings.Repeat(`{},`, 100_000) + `{}]}`,
	} {
		b, err := plan.ParseBatch([]byte(text))
		if err == nil && !b.Origin.Human() {
			t.Errorf("%.40q has an origin", text)
		}
		if strings.Contains(text, "rovenance") && err == nil || strings.Contains(text, "rigin") && err == nil {
			t.Errorf("%.60q: no error", text)
		}
	}
	if raw, _ := json.Marshal(plan.Batch{Origin: format.Origin{Kind: format.OriginModel}}); strings.Contains(string(raw), "model") {
		t.Errorf("a batch tells its origin: %s", raw)
	}
}

// firstProblem is the first problem of an entry with a code, empty if there is none.
func firstProblem(e *format.Entry, code string) format.Problem {
	for _, p := range e.Problems {
		if p.Code == code {
			return p
		}
	}
	return format.Problem{}
}
