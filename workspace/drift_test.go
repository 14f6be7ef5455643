package workspace

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

const driftEntry = "auth/jwt/tokens.md"

const driftText = `---
title: Access tokens
updatedAt: 2026-03-01T00:00:00Z
---
## Raw Concept
**Files:**
- src/sign.go
- src/gone.go
- src/same.go
`

// signing is a body long enough to tell what became of it.
func signing(hash string) string {
	var b strings.Builder
	b.WriteString("package src\n\n// SignToken signs.\nfunc SignToken(user string) string {\n")
	for _, step := range []string{"header", "claims", "subject", "audience", "issuer", "expiry", "nonce", "scope"} {
		b.WriteString("\t" + step + " := " + hash + "(user, \"" + step + "\")\n\tif " + step + " == \"\" {\n\t\treturn " + hash + "Failed(" + step + ")\n\t}\n")
	}
	return b.String() + "\treturn user\n}\n"
}

// drifted is a repository in which one file of an entry changed and one was removed
// after the entry was written.
func drifted(t *testing.T, o Options) *Workspace {
	t.Helper()
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	dir := t.TempDir()
	git := func(date string, args ...string) { t.Helper(); gitAt(t, dir, date, args...) }
	git("2026-01-01T00:00:00Z", "init", "-q", "-b", "main")
	write(t, dir, "go.mod", "module example.org/app\n\ngo 1.26\n")
	write(t, dir, "src/sign.go", signing("sha1"))
	write(t, dir, "src/gone.go", "package src\n\nfunc Gone() string { return \"gone without a trace\" }\n")
	write(t, dir, "src/same.go", "package src\n\nfunc Same() {}\n")
	write(t, dir, ".brv/context-tree/"+driftEntry, driftText)
	git("2026-02-01T00:00:00Z", "add", "-A")
	git("2026-02-01T00:00:00Z", "commit", "-q", "-m", "tokens")
	write(t, dir, "src/sign.go", "package src\n\nimport \"crypto/ed25519\"\n\n// SignToken signs.\nfunc SignToken(key ed25519.PrivateKey, claims []byte) []byte {\n\treturn ed25519.Sign(key, claims)\n}\n")
	if err := os.Remove(filepath.Join(dir, "src/gone.go")); err != nil {
		t.Fatal(err)
	}
	git("2026-04-01T00:00:00Z", "add", "-A")
	git("2026-04-01T00:00:00Z", "commit", "-q", "-m", "sign otherwise")
	o.Trusted = o.Untrusted == ""
	w, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// gitAt runs git in a folder, as of a date.
func gitAt(t *testing.T, dir, date string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// What another person confirmed or changed reaches a clone by git: it counts from its commit, for
// drift and for signals. That a relation was rewritten says nothing of the code.
func TestWhatOthersDoToAnEntryCountsFromItsCommit(t *testing.T) {
	const text = "---\ntitle: Access tokens\nrelated: [auth/jwt/keys.md]\ncreatedAt: '2026-01-31T00:00:00.000Z'\n---\n## Raw Concept\n**Files:**\n- src/sign.go\n\n## Facts\n- one\n"
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	renamed := strings.Replace(text, "keys.md", "key_set.md", 1)
	confirmed := tree.Parse(driftEntry, renamed)
	for name, c := range map[string]struct {
		text  string
		drift bool
		since string
	}{
		"nothing":    {text, true, "2026-02-02"},
		"a relation": {renamed, true, "2026-02-02"},
		"a fact":     {renamed + "- two\n", false, "2026-05-01"},
		"confirmed":  {tree.ApplyEdits(renamed, []tree.Edit{confirmed.Confirm(time.Date(2026, 4, 20, 0, 0, 0, 0, time.UTC))}), false, "2026-05-01"},
	} {
		w := drifted(t, Options{Now: func() time.Time { return now }})
		dir := w.Root()
		gitAt(t, dir, "2026-02-02T00:00:00Z", "checkout", "-q", "-b", "other", "HEAD~")
		write(t, dir, ".brv/context-tree/"+driftEntry, text)
		gitAt(t, dir, "2026-02-02T00:00:00Z", "commit", "-q", "-a", "-m", "entry")
		gitAt(t, dir, "2026-04-01T00:00:00Z", "cherry-pick", "main")
		write(t, dir, ".brv/context-tree/"+driftEntry, c.text)
		gitAt(t, dir, "2026-05-01T00:00:00Z", "commit", "-q", "-a", "--allow-empty", "-m", "theirs")
		if err := w.WaitCode(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.refreshTree(nil)
		w.refreshCode(nil)
		w.ReadHistory(t.Context())
		found, err := w.Drift(t.Context(), w.View(), driftEntry)
		if err != nil || len(found) > 0 != c.drift {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		if _, at := w.View().Tree().Counted(driftEntry); at.Format(time.DateOnly) != c.since {
			t.Errorf("%s: counts from %v, want %s", name, at, c.since)
		}
	}
}

func kinds(found []link.Drift) map[string]link.DriftKind {
	out := map[string]link.DriftKind{}
	for _, d := range found {
		out[d.Path] = d.Kind
	}
	return out
}

func TestDriftIsFoundAndKept(t *testing.T) {
	w := drifted(t, Options{})
	ctx := context.Background()
	if found, known := w.DriftSoon(ctx, w.View(), driftEntry); known {
		t.Errorf("known before the code was read: %v", found)
	}
	if err := w.WaitCode(ctx); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(ctx)
	found, err := w.Drift(ctx, w.View(), driftEntry)
	if got := kinds(found); err != nil || len(got) != 2 || got["src/sign.go"] != link.Changed || got["src/gone.go"] != link.Vanished {
		t.Fatalf("%v, %v", found, err)
	}
	again, known := w.DriftSoon(ctx, w.View(), driftEntry)
	if !known || len(again) != len(found) || &again[0] != &found[0] {
		t.Error("it was not kept")
	}
	w.Overlay(treeDir+"/"+driftEntry, strings.Replace(driftText, "- src/gone.go\n", "", 1))
	found, err = w.Drift(ctx, w.View(), driftEntry)
	if got := kinds(found); err != nil || len(got) != 1 || got["src/sign.go"] != link.Changed {
		t.Errorf("after an edit of the entry: %v, %v", found, err)
	}
	if found, err := w.Drift(ctx, w.View(), "no/such/entry.md"); found != nil || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// What the map leaves out is there.
func TestWhatIsExcludedIsNotGone(t *testing.T) {
	w := drifted(t, Options{Exclude: []string{"src/**"}})
	spaced := "d/t/spaced.md"
	write(t, w.Root(), "src/sp ace.go", "package src\n")
	w.Overlay(treeDir+"/"+spaced, "---\nupdatedAt: 2026-03-01T00:00:00Z\n---\n# S\n## Raw Concept\n**Files:**\n- src/sp ace.go\n- src/same.go\n\n## Narrative\n`SignToken` signs.\n")
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(t.Context())
	for entry, want := range map[string]int{driftEntry: 1, spaced: 0} { // src/gone.go
		if found, err := w.Drift(t.Context(), w.View(), entry); err != nil || len(found) != want {
			t.Errorf("%s: %+v, %v", entry, found, err)
		}
	}
}

func TestStaleProblemsAndCheck(t *testing.T) {
	w := drifted(t, Options{})
	ctx := context.Background()
	report, err := w.Check(ctx, w.View(), CheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]Finding{}
	for _, f := range report.Findings {
		if f.Code == tree.CodeStale {
			checked[f.Severity] = f
		}
	}
	if f := checked["info"]; f.Path != treeDir+"/"+driftEntry || f.Line != 7 || f.Column != 3 || !strings.Contains(f.Message, "src/sign.go") {
		t.Errorf("what changed: %+v", report.Findings)
	}
	if f := checked["warning"]; f.Line != 8 || !strings.Contains(f.Message, "src/gone.go") || report.Warnings != 1 {
		t.Errorf("what is gone: %+v", report.Findings)
	}
	if _, err := w.Drift(ctx, w.View(), driftEntry); err != nil { // so that it need not be waited for
		t.Fatal(err)
	}
	problems, err := w.Problems(ctx, w.View(), treeDir+"/"+driftEntry, nil)
	if err != nil || len(problems) != 2 || problems[0].Severity != tree.SeverityInfo || problems[1].Severity != tree.SeverityWarning {
		t.Errorf("%+v, %v", problems, err)
	}
}

// Whoever could not wait is told when it is there.
func TestWhatWasNotWaitedForIsTold(t *testing.T) {
	told := make(chan Change, 100)
	w := drifted(t, Options{Changed: func(c Change) { told <- c }})
	if err := w.WaitCode(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(context.Background())
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, known := w.DriftSoon(over, w.View(), driftEntry); known {
		t.Fatal("git answered before it was asked")
	}
	for c := range told {
		if c.Drift {
			break
		}
	}
	if _, known := w.DriftSoon(context.Background(), w.View(), driftEntry); !known {
		t.Error("told, and not known")
	}
}

// The pack that an agent asks of a new process is often its only one.
func TestFirstPackTellsWhatIsStale(t *testing.T) {
	w := drifted(t, Options{})
	first := packed(t, w, PackRequest{Task: "access tokens"})
	for _, want := range []string{"stale: src/sign.go changed since 2026-03-01", "stale: src/gone.go is gone"} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("the pack lacks %q", want)
		}
	}
	if len(first.Degraded) > 0 {
		t.Errorf("degraded: %q", first.Degraded)
	}
	if next := packed(t, w, PackRequest{Task: "access tokens"}); next.Text != first.Text {
		t.Errorf("another pack of the same:\n%s\nfirst it was:\n%s", next.Text, first.Text)
	}
	if t.Failed() {
		t.Log(first.Text)
	}
}

// slowPast answers once answers is closed.
type slowPast struct {
	link.Past
	answers chan struct{}
}

func (p slowPast) At(ctx context.Context, asks []history.Ask) ([]history.Version, error) {
	<-p.answers
	return p.Past.At(ctx, asks)
}

func TestPackTellsThatStalenessIsNotKnown(t *testing.T) {
	w := drifted(t, Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(t.Context())
	slow := slowPast{w.Past(), make(chan struct{})}
	w.setPast(slow)
	p := packed(t, w, PackRequest{Task: "access tokens", DeadlineMs: 200})
	close(slow.answers)
	if strings.Contains(p.Text, "stale: src/") || !slices.Contains(p.Degraded, whatIsStale) {
		t.Errorf("degraded: %q\n%s", p.Degraded, p.Text)
	}
	if _, err := w.Drift(t.Context(), w.View(), driftEntry); err != nil {
		t.Fatal(err)
	}
	if p = packed(t, w, PackRequest{Task: "access tokens", DeadlineMs: 10_000}); !strings.Contains(p.Text, "stale: src/") || len(p.Degraded) > 0 {
		t.Errorf("once it is known, degraded: %q\n%s", p.Degraded, p.Text)
	}
}

func TestReviewShowsTheDifference(t *testing.T) {
	w := drifted(t, Options{})
	ctx := context.Background()
	if err := w.WaitCode(ctx); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(ctx)
	text, err := w.DriftReview(ctx, w.View(), driftEntry)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Review: Access tokens\n", "last updated 2026-03-01", "## `src/sign.go` changed\n", "```diff\n", "\n-\theader := sha1(user, \"header\")\n",
		"\n+func SignToken(key ed25519.PrivateKey, claims []byte) []byte {\n", "## `src/gone.go` vanished\n", "## The entry\n\n```md\n" + driftText + "```\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the review lacks %q", want)
		}
	}
	if strings.Contains(text, "src/same.go` ") {
		t.Error("what is as it was is in the review")
	}
	found, err := w.Drift(ctx, w.View(), driftEntry)
	summary, at := w.View().DriftSummary(driftEntry, found)
	if err != nil || summary != "2 of 3 named files changed since 2026-03-01" || at.Of(driftText) != "Access tokens" {
		t.Errorf("%q at %q, %v", summary, at.Of(driftText), err)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestFencesAreLongerThanThoseInside(t *testing.T) {
	if got := fenced("md", "a\n````go\nx\n````\n"); got != "`````md\na\n````go\nx\n````\n`````\n" {
		t.Error(got)
	}
}
