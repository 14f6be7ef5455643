package derived

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestArchivableListsFadedDrafts(t *testing.T) {
	entry := func(p, front string) *format.Entry { return format.Parse(p, "---\n"+front+"\n---\n# x\n") }
	s := tree.NewSnapshot([]*format.Entry{
		entry("d/t/fresh.md", "importance: 50\nupdatedAt: 2026-04-01"),
		entry("d/t/faded.md", "importance: 50\nupdatedAt: 2026-01-01"),
		entry("d/t/unsigned.md", "createdAt: 2025-12-01"),
		entry("d/t/validated.md", "importance: 60\nmaturity: validated\nupdatedAt: 2026-01-01"),
		entry("d/t/was_core.md", "importance: 90\nmaturity: core\nupdatedAt: 2025-01-01"),
		entry("d/t/timeless.md", "importance: 50"),
		entry("d/t/worthless.md", "importance: 0"),
		entry("d/t/context.md", "importance: 1"),
		entry("_archived/d/t/old.stub.md", "importance: 1"),
		entry("_archived/d/t/old.full.md", "importance: 1"),
	}, nil)
	now := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	var got []string
	for _, c := range Archivable(s, now) {
		got = append(got, fmt.Sprintf("%s %.1f", c.Path, c.Importance))
	}
	want := []string{"d/t/worthless.md 0.0", "d/t/was_core.md 9.2", "d/t/unsigned.md 27.3", "d/t/faded.md 31.8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	faded, _ := s.Entry("d/t/faded.md")
	used := s.WithUsage(map[string]tree.Usage{faded.Path: tree.Credit(faded, tree.Usage{}, 2, now)})
	if got := Archivable(used, now); slices.ContainsFunc(got, func(c Candidate) bool { return c.Path == "d/t/faded.md" }) {
		t.Errorf("an entry that was just used: %v", got)
	}
}

func TestArchivePaths(t *testing.T) {
	stub, full := format.ArchivePaths("authentication/jwt-implementation/old_draft.md")
	if stub != "_archived/authentication/jwt-implementation/old_draft.stub.md" ||
		full != "_archived/authentication/jwt-implementation/old_draft.full.md" {
		t.Error(stub, full)
	}
	if format.RoleOf(stub) != format.RoleStub || format.RoleOf(full) != format.RoleArchive {
		t.Error("the archive's files have other roles")
	}
}

func TestRenderStub(t *testing.T) {
	goldentest.Archives(t, "testdata/stub/*.txtar", func(files []txtar.File) string {
		var b strings.Builder
		for _, f := range files {
			fmt.Fprintf(&b, ">>> %s\n%s", f.Name, checkStub(t, format.Parse(f.Name, string(f.Data))))
		}
		return b.String()
	})
}

// checkStub renders an entry's stub, and holds for every entry: it reads back, is
// small and has no relations.
func checkStub(t *testing.T, e *format.Entry) string {
	t.Helper()
	now := time.Date(2026, 4, 15, 12, 0, 0, 5000, time.FixedZone("", 7200))
	text := RenderStub(e, 22.44, now)
	path, full := format.ArchivePaths(e.Path)
	s := format.Parse(path, text)
	got, ok := s.Stub()
	want := format.Stub{OriginalPath: e.Path, PointsTo: full}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Fatalf("reads back as (-want +got)\n%s\nof\n%s", diff, text)
	}
	if len(s.Problems) > 0 || len(s.Relations) > 0 {
		t.Fatalf("problems %v, relations %v in\n%s", s.Problems, s.Relations, text)
	}
	if n := tokens.Estimate(s.Body.Of(text)); n > stubTokens*5/4 {
		t.Fatalf("%d tokens in\n%s", n, text)
	}
	var keys []string
	for _, f := range s.Fields {
		keys = append(keys, f.Key)
	}
	if diff := cmp.Diff([]string{"evicted_at", "evicted_importance", "original_path", "original_token_count", "points_to", "type"},
		keys); diff != "" {
		t.Fatalf("keys (-want +got)\n%s", diff)
	}
	return text
}

func TestStubReadsWhatOthersWrite(t *testing.T) {
	documented := format.Stub{OriginalPath: "a/b/c.md", PointsTo: "_archived/a/b/c.full.md"}
	for front, want := range map[string]format.Stub{
		"evicted_at: \"2025-04-15T10:00:00Z\"\nevicted_importance: 22.4\noriginal_path: \"a/b/c.md\"\noriginal_token_count: " +
			"890\npoints_to: \"_archived/a/b/c.full.md\"\ntype: archive_stub": documented,
		"evicted_at: '2025-04-15T10:00:00.000Z'\nevicted_importance: 22.4\noriginal_path: a/b/c.md\noriginal_token_count: " +
			"890\npoints_to: _archived/a/b/c.full.md\ntype: archive_stub": documented,
		"type: archive_stub\npoints_to: .brv/context-tree/_archived/a/b/c.full.md\noriginal_path: " +
			".brv/context-tree/a/b/c.md\nevicted_at: 2025-04-15T10:00:00Z\nevicted_importance: \"22.4\"\noriginal_token_count: '890'": documented,
		`points_to: .brv/archives/a/b/c.md`: {OriginalPath: "a/b/c.md",
			PointsTo: "_archived/a/b/c.full.md"},
		`points_to: .brv\archive\a\b\c.full.md`: {OriginalPath: "a/b/c.md",
			PointsTo: "_archived/a/b/c.full.md"},
		`points_to: ./_archived/a//b/c.full.md`: {OriginalPath: "a/b/c.md",
			PointsTo: "_archived/a/b/c.full.md"},
		"points_to: _archived/a/b/c.full.md\noriginal_path: archive/x/c.full.md": {OriginalPath: "archive/x/c.full.md",
			PointsTo: "_archived/a/b/c.full.md"},
		"points_to: _archived/a/b/c.full.md\noriginal_path: ../../etc/passwd": {OriginalPath: "a/b/c.md",
			PointsTo: "_archived/a/b/c.full.md"},
		"points_to: _archived/a/b/c.full.md\nevicted_importance: 1e9\nevicted_at: x": {OriginalPath: "a/b/c.md",
			PointsTo: "_archived/a/b/c.full.md"},
	} {
		got, ok := format.Parse("_archived/a/b/c.stub.md", "---\n"+front+"\n---\ncue\n").Stub()
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s\n(-want +got)\n%s", front, diff)
		}
	}
	for _, bad := range []string{"type: archive_stub", "points_to: ''", "points_to: /etc/passwd",
		"points_to: _archived/../../x.full.md", "points_to: ../x", "points_to: a/b/c.md", "points_to: .brv/archive/../../../x",
		"points_to: _archived/", `points_to: "_archived/\0.full.md"`} {
		if got, ok := format.Parse("_archived/a/b/c.stub.md", "---\n"+bad+"\n---\n").Stub(); ok {
			t.Errorf("%s: %+v", bad, got)
		}
	}
	if _, ok := format.Parse("a/b/c.md", "---\npoints_to: _archived/a/b/c.full.md\n---\n").Stub(); ok {
		t.Error("an entry is no stub")
	}
}

func FuzzStub(f *testing.F) {
	f.Add("# A\n\nSomething `odd_name` said.", "a/b/c.md", "_archived/a/b/c.full.md")
	f.Add("---\ntitle: '`'\nsummary: |\n  ---\n  # x @a/b/c.md\n---\n- @a/b [x](y.md)", "a/b/\"\n---.md", ".brv/archives/../x")
	f.Fuzz(func(t *testing.T, text, p, points string) {
		for _, s := range []string{text, p, points} {
			if strings.ContainsRune(s, 0) || strings.ToValidUTF8(s, "") != s || len(s) > 1<<14 {
				return
			}
		}
		if s, ok := format.Parse("_archived/x.stub.md", fmt.Sprintf("---\npoints_to: %q\n---\n", points)).Stub(); ok &&
			(!strings.HasPrefix(s.PointsTo, "_archived/") || strings.Contains("/"+s.PointsTo, "/../") ||
				strings.Contains("/"+s.OriginalPath, "/../")) {
			t.Fatalf("%q reads as %+v", points, s)
		}
		plain := path.Clean(p) == p && strings.TrimSpace(p) == p && strings.HasSuffix(p, ".md") && !strings.Contains(p, `\`) &&
			!strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, ".brv/") &&
			!strings.HasPrefix(p, "_archived/")
		if plain {
			checkStub(t, format.Parse(p, text))
		}
	})
}

// stubTokens is about how long a stub's text is (specification, "Archive Stub").
const stubTokens = 220

var year2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
