package curate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// payload is one batch of testdata/malicious.txt.
type payload struct{ name, batch string }

func payloads(t testing.TB) []payload {
	t.Helper()
	data, err := os.ReadFile("testdata/malicious.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []payload
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, batch, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("line %d: no tab", i+1)
		}
		if times, op, ok := strings.Cut(batch, " "); ok && times[0] == 'x' {
			n, err := strconv.Atoi(times[1:])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			batch = "[" + strings.TrimSuffix(strings.Repeat(op+",", n), ",") + "]"
		}
		out = append(out, payload{fmt.Sprintf("line %d: %s", i+1, name), batch})
	}
	return out
}

// maliciousTree is the project that the payloads are meant for.
func maliciousTree(t testing.TB) Project {
	files := map[string]string{".brv/config.json": "{}", ".env": "KEY=x", "src/auth.go": "package auth\n",
		".brv/context-tree/_index.md": "# Index\n", ".brv/context-tree/auth/context.md": "# Domain: auth\n"}
	for _, p := range []string{"auth/jwt/rotation.md", "auth/jwt/storage.md", "web/menus/colour.md", "web/menus/size.md",
		"ops/deploy/steps.md", "ops/deploy/rollback.md", "ops/deploy/keys.md"} {
		files[".brv/context-tree/"+p] = "---\ntitle: " + path.Base(p) +
			"\nrelated: [auth/jwt/storage.md]\n---\n\n## Narrative\n### Rules\nKeep it.\n\n## Facts\n- One fact.\n"
	}
	return realProject(t, files)
}

// The oracle: written without a look at how package sanitize does it.
var (
	goodPath = regexp.MustCompile(`^[\pL\pN_ -]+(/[\pL\pN_ -]+){1,3}(\.md)?$`)
	badLink  = regexp.MustCompile(
		`(?i)\[[^\[\]]*\]\(\s*<?\s*(com(&#109;|m)and|javascript|vbscript|data|file|vscode[a-z-]*|ssh)(:[^)\s]|&#|&colon|\\)`)
	badTarget  = regexp.MustCompile(`(?im)^[\s>-]*\[[^\]\n]+\]:\s*<?\s*(command|javascript):`)
	badAuto    = regexp.MustCompile(`(?i)<(command|javascript|vbscript|data|file|vscode[a-z-]*):[^<>\s]*>`)
	badPicture = regexp.MustCompile(`(?i)(^|[^\\])!\[[^\[\]]*\]\(\s*<?\s*(https?:|//|data:|\\\\)`)
	badNested  = regexp.MustCompile(`(?i)(^|[^\\])!\[([^\[\]()]|\[[^\[\]()]*\])*\]\(\s*<?\s*https?:`)
	badHTML    = regexp.MustCompile(
		`(?i)<((img|script|iframe|svg|embed)[ />]|(style|video|audio|object|link|meta|base|form|input|math|source) [^>]*=|a href=|[a-z-]+ [^>]*(on[a-z]+|src|style|background)=)`)
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	unseenText = regexp.MustCompile(
		"[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufffd\U000E0000-\U000E007F]")
)

// outOfPolicy says what of a proposal a model must not propose.
func outOfPolicy(p Proposal) (found []string) {
	wrong := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	gone := 0
	for _, op := range p.Ops {
		switch op.Type {
		case plan.OpDelete, plan.OpMerge:
			gone++
		case plan.OpAdd, plan.OpUpdate, plan.OpUpsert:
		default:
			wrong("type %q", op.Type)
		}
		for _, at := range []string{op.Path, op.MergeTarget} {
			base := strings.ToLower(path.Base(at))
			if at == "" && op.Type != plan.OpMerge {
				continue
			}
			if !goodPath.MatchString(at) || len(path.Base(at)) > 130 ||
				slices.Contains([]string{"context.md", "_index.md", "_manifest.json", "con.md", "nul.md", "lpt1.md"}, base) ||
				strings.Contains(at, "_archived") {
				wrong("path %q", at)
			}
			if !strings.HasSuffix(at, ".md") && op.Title == "" && op.MergeTargetTitle == "" {
				wrong("folder %q", at)
			}
		}
		for _, text := range textsOf(op) {
			if m := unseenText.FindString(text); m != "" {
				wrong("unseen %q in %q", m, text)
			}
			for _, bad := range []*regexp.Regexp{badLink, badTarget, badAuto, badPicture, badNested} {
				if m := bad.FindString(inlineCode.ReplaceAllString(unfenced(text), "")); m != "" {
					wrong("%q in %q", m, text)
				}
			}
			if m := badHTML.FindString(unfenced(text)); m != "" {
				wrong("%q in %q", m, text)
			}
			if len(secrets.Scan(text)) > 0 || strings.Contains(text, "hunter2") || strings.Contains(text, "MIIEpAIB") ||
				strings.Contains(text, "3XW5RBN2KD6P") {
				wrong("a credential in %q", text)
			}
			if len(text) > 80_000 {
				wrong("%d bytes", len(text))
			}
		}
		if r := op.Content.RawConcept; r.Author != "" || r.Timestamp != "" ||
			slices.ContainsFunc(r.Files, func(f string) bool {
				return f != "src/auth.go" && f != "`src/auth.go`" && f != "src/auth.go:1-99999"
			}) {
			wrong("source %+v", r)
		}
		for _, rel := range op.Content.Relations {
			if !strings.HasPrefix(rel, "auth/jwt/") && rel != "web/menus/colour.md" || strings.Contains(rel, "..") {
				wrong("relation %q", rel)
			}
		}
		if len(op.Title) > 4*81 || len([]rune(op.Summary)) > 400 || strings.ContainsAny(op.Title+op.Summary, "\n\r") {
			wrong("title %q or summary %q", op.Title, op.Summary)
		}
	}
	if len(p.Ops) > 20 || gone > 5 {
		wrong("%d operations, %d of them take away", len(p.Ops), gone)
	}
	if want := (format.Origin{Kind: format.OriginModel, Tool: "brv-lsp", Model: "scripted"}); p.Origin != want {
		wrong("origin %+v", p.Origin)
	}
	return found
}

// textsOf are all strings of an operation, wherever they stand.
func textsOf(op plan.Op) (out []string) {
	data, _ := json.Marshal(op)
	var v any
	_ = json.Unmarshal(data, &v)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(v)
	return out
}

// saying is a model that gives a batch whatever it is told: by a call and then no more,
// in text, or as one that has no tools.
func saying(batch, how string) llm.Model {
	if how == "toolless" {
		return toolless{parrot{batch, how}}
	}
	return parrot{batch, how}
}

type parrot struct{ batch, how string }

func (parrot) Name() string { return "scripted" }

func (p parrot) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	switch last := r.Messages[len(r.Messages)-1]; {
	case p.how != "call":
		return llm.Response{Text: p.batch}, nil
	case last.Role == llm.RoleTool:
		return llm.Response{Text: "Done."}, nil
	}
	return proposing(p.batch), nil
}

// No batch gets anything past the policy, however it is said; nothing is written, and
// what is proposed can be applied: the tree as it would be has no path outside, and is
// read as it was meant.
func TestMaliciousBatches(t *testing.T) {
	all := payloads(t)
	if len(all) < 300 {
		t.Fatalf("%d payloads", len(all))
	}
	p := maliciousTree(t)
	m := Material{Sources: []Source{{Path: "notes.md", Kind: KindMarkdown, Text: "Keep it, because the audit says so."}}}
	before := p.Tree.Fingerprint()
	proposed, refused := 0, 0
	for i, x := range all { // each kind of attack is there several times, so that it comes in each way
		how := []string{"call", "text", "toolless"}[i%3]
		got, err := Compose(t.Context(), p, saying(x.batch, how), m)
		switch {
		case err != nil && !errors.Is(err, ErrModel):
			t.Fatalf("%s: %v", x.name, err)
		case err != nil:
			refused++
			if len(got.Ops) > 0 {
				t.Errorf("%s, %s: operations beside an error", x.name, how)
			}
			continue
		}
		proposed += len(got.Ops)
		for _, wrong := range outOfPolicy(got) {
			t.Errorf("%s, %s: %.300s", x.name, how, wrong)
		}
		if strings.Contains(x.name, ": path beside") && len(got.Ops) == 1 {
			t.Errorf("%s, %s: one of two operations was taken", x.name, how)
		}
		for _, r := range got.Report.Results {
			if r.Status != plan.StatusPending {
				t.Errorf("%s, %s: %s is not held", x.name, how, r.Path)
			}
		}
	}
	if again, err := p.Try(t.Context(), plan.Batch{DryRun: true}); err != nil || len(again.Results) > 0 ||
		p.Tree.Fingerprint() != before {
		t.Errorf("the tree changed: %v", err)
	}
	t.Logf("%d payloads: %d refused, %d operations proposed within the policy", len(all), refused, proposed)
}

func FuzzHarmless(f *testing.F) {
	for _, s := range []string{"[x](command:y)", "![a](http://b)", "<img src=x>", "```\n<img>\n```\n![x](//y)", "[a]: <data:x>",
		"\u200b!\u202e[", "a](javascript:x", "](](&", "](](command:x)", "](<A", "<data:",
		"[](data&"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := harmless(text)
		if again := harmless(got); again != got {
			t.Errorf("%q\nonce  %q\ntwice %q", text, got, again)
		}
		if strings.ContainsAny(got, "`~") {
			return // the expressions do not know what is code, which random text makes in odd ways
		}
		for _, bad := range []*regexp.Regexp{badLink, badAuto, badPicture, badNested, unseenText} {
			if m := bad.FindString(got); m != "" {
				t.Errorf("%q in %q", m, got)
			}
		}
	})
}

func TestHarmlessLeavesWhatIsHarmless(t *testing.T) {
	for _, s := range []string{
		"See [the docs](docs/x.md#part), [the site](https://example.com/?a=1&b=2) and [mail](mailto:a@b.c).",
		"![a diagram](docs/flow.png)", "`vec![1, 2]` and `List<String>`", "a < b and c > d", "```html\n<img src=\"x\">\n```\n",
		"[x]: docs/x.md", "@auth/jwt/rotation.md", "क्ष and 👩‍💻 joined", "std::vector<std::string>",
	} {
		if got := harmless(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// unfenced is a text without its code in fences.
func unfenced(text string) string {
	var out []string
	for l := range markdown.Lines(text) {
		if l.Fence == markdown.FenceNone {
			out = append(out, l.At.Of(text))
		} else {
			out = append(out, "")
		}
	}
	return strings.Join(out, "\n")
}
