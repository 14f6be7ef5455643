package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// reforge changes the stored review of a batch as anybody could who can write the file.
func reforge(t *testing.T, s *Store, dir string, id int, change func(*Review)) {
	t.Helper()
	r, _, err := s.Reviews.read(id)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(reviewFile(id))), r.encode(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What a review shows is what approving it does, whatever its file says; and of what nobody
// proposed nothing can be approved.
func TestForgedReviews(t *testing.T) {
	const typo = "--- a/a/b/y.md\n+++ b/a/b/y.md\n-teh\n+the\n"
	dir := onDisk(t, small)
	s := opened(t, dir)
	held := mustApply(t, s, plan.Batch{Author: "m", Origin: byModel,
		Ops: []plan.Op{{Type: plan.OpUpdate, Path: "a/b/y.md", Summary: "s", Reason: "r"},
			{Type: plan.OpDelete, Path: "a/b/x.md", Reason: "r"}}})
	honest, err := s.Reviews.List()
	if err != nil || len(honest) != 1 {
		t.Fatalf("%+v, %v", honest, err)
	}
	genuine, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(reviewFile(held.Batch))))
	if err != nil {
		t.Fatal(err)
	}
	y, _ := s.Snapshot().Entry("a/b/y.md")

	// What is told of an operation that was proposed is told by a plan, and by the journal.
	reforge(t, s, dir, held.Batch, func(r *Review) {
		r.Author, r.Origin = "ada", format.Origin{}
		for i := range r.Items {
			r.Items[i].Diff, r.Items[i].Message = typo, "Mended a typo"
		}
	})
	list, err := s.Reviews.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, item := range list[0].Items {
		if want := honest[0].Items[i]; item.Diff != want.Diff || item.Message != want.Message || item.Blocked != "" {
			t.Errorf("shown: %s\n%s\nwant: %s\n%s\n%s", item.Message, item.Diff, want.Message, want.Diff, item.Blocked)
		}
	}
	if list[0].Author != "m" || list[0].Origin != byModel.Named() {
		t.Errorf("by %q, %+v", list[0].Author, list[0].Origin)
	}

	// Another operation in its place, or a batch that never was, is refused.
	forged := Review{Batch: held.Batch, Items: []plan.ReviewItem{{Op: plan.Op{Type: plan.OpDelete, Path: "a/b/y.md", Reason: "typo"},
		Held: true, Path: "a/b/y.md", Message: "Mended a typo", Diff: typo, Base: map[string]string{"a/b/y.md": y.Hash}}}}
	before := content(t, dir)
	for _, id := range []int{held.Batch, 7} {
		forged.Batch, forged.Author, forged.Origin = id, "ada", byModel
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(reviewFile(id))), forged.encode(), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := s.Approve(t.Context(), id, "ada", plan.Decision{})
		if err != nil || r.Summary.Failed != 1 || r.Batch != 0 || !strings.Contains(r.Results[0].Message, "journal") {
			t.Errorf("%d: %+v, %v", id, r, err)
		}
		if list, err := s.Reviews.List(); err != nil || !strings.Contains(list[len(list)-1].Items[0].Blocked, "journal") {
			t.Errorf("%d: %+v, %v", id, list, err)
		} else if last := list[len(list)-1]; last.Author != "" || last.Origin != (format.Origin{}) {
			t.Errorf("%d: nobody proposed it, but by %q, %+v", id, last.Author, last.Origin)
		}
		if _, _, _, err := s.Reviews.Proposed(id, "a/b/y.md"); err == nil || !strings.Contains(err.Error(), "journal") {
			t.Errorf("%d: %v", id, err)
		}
	}
	if got := content(t, dir); len(got) != len(before) || got["a/b/y.md"] != before["a/b/y.md"] {
		t.Fatal("something was done")
	}
	if _, err := s.Reject(t.Context(), 7, "ada", "nobody proposed this"); err != nil {
		t.Error(err)
	}

	// The genuine one goes on as before, also when the images of its record are gone.
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(reviewFile(held.Batch))), genuine, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 120 {
		mustApply(t, s, plan.Batch{Hold: plan.HoldNone, Ops: []plan.Op{{Type: plan.OpConfirm, Path: "a/b/y.md", Reason: "r"}}})
	}
	if r, err := s.Approve(t.Context(), held.Batch, "ada", plan.Decision{Paths: []string{"a/b/x.md"}}); err != nil ||
		r.Summary.Deleted != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A report tells nothing of the credentials that somebody wrote into an entry by hand.
func TestReportsTellNoCredentials(t *testing.T) {
	const secret = "hunter2hunter2"
	hand := "---\ntitle: Hand\nsummary: 'password: " + secret + "'\n---\n## Raw Concept\n**Task:**\npassword: " + secret +
		"\n\n## Facts\n- password: " + secret + "\n"
	for _, origin := range []format.Origin{{}, byAgent} {
		for _, dry := range []bool{true, false} {
			s := opened(t, onDisk(t, map[string]string{"a/b/hand.md": hand}))
			b := plan.Batch{Origin: origin, DryRun: dry, Ops: []plan.Op{
				{Type: plan.OpAdd, Path: "a/b", Title: "Hand", Reason: "r"},
				{Type: plan.OpUpdate, Path: "a/b/hand.md", Summary: "s", Replace: []format.Part{"facts", "task"},
					Content: format.Content{Facts: []format.Fact{{Statement: "f"}}, RawConcept: format.RawConcept{Task: "t"}},
					Reason:  "r"},
			}}
			tell := func(what string, r *plan.Report) {
				t.Helper()
				data, err := json.Marshal(r)
				if err != nil || strings.Contains(string(data), secret) || !strings.Contains(string(data), "REDACTED") {
					t.Errorf("%s for %q: %s, %v", what, origin.Kind, data, err)
				}
			}
			add := b
			add.Ops = b.Ops[:1]
			tell("nothing done", mustApply(t, s, add))
			r := mustApply(t, s, b)
			tell("applied", r)
			if r.Summary.Pending > 0 && !dry {
				tell("again", mustApply(t, s, b))
				approved, err := s.Approve(t.Context(), r.Batch, "ada", plan.Decision{})
				if err != nil || approved.Summary.Updated != 1 {
					t.Fatalf("%+v, %v", approved, err)
				}
				tell("approved", approved)
			}
		}
	}
	if len(secrets.Scan(hand)) != 3 {
		t.Fatal("the entry holds none")
	}
}

// An agent that has another text approved in a proposal's place is who wrote it.
func TestAgentsTextIsTheAgents(t *testing.T) {
	sneaky := format.Origin{Kind: format.OriginAgent, Tool: "sneaky"}
	for name, c := range map[string]struct {
		proposer format.Origin
		entry    string // that is there before
		op       plan.Op
		want     string
	}{
		"a model's": {byModel, "", plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "s"},
			"by agent, via sneaky, first by model, approved by ada"},
		"another agent's": {byAgent, "", plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "s"},
			"by agent, via sneaky, approved by ada"},
		"a person's": {format.Origin{}, "", plan.Op{Type: plan.OpAdd, Path: "a/b", Title: "New", Summary: "s"},
			"by agent, via sneaky, first by human, approved by ada"},
		"of a person's entry": {byModel, "---\ntitle: New\n---\n## Facts\n- f\n", plan.Op{Type: plan.OpUpdate, Path: "a/b/new.md",
			Summary: "s"}, "by agent, via sneaky, first by human, approved by ada"},
	} {
		files := map[string]string{"a/b/x.md": "# X\n"}
		if c.entry != "" {
			files["a/b/new.md"] = c.entry
		}
		s := opened(t, onDisk(t, files))
		c.op.Reason = "r"
		held := mustApply(t, s, plan.Batch{Author: "m", Origin: c.proposer, Hold: plan.HoldAll, Ops: []plan.Op{c.op}})
		_, after, _, err := s.Reviews.Proposed(held.Batch, "a/b/new.md")
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Approve(t.Context(), held.Batch, "ada", plan.Decision{Texts: map[string]string{"a/b/new.md": after + "\nMine.\n"},
			Origin: sneaky})
		if err != nil || r.Summary.Failed > 0 {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		if got := provenanceOf(t, s, "a/b/new.md"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		log, err := s.Log(1)
		if reasons := strings.Join(log[0].Reasons, "; "); err != nil ||
			reasons != "r; edited before approval by agent, via sneaky: a/b/new.md" {
			t.Errorf("%s: %q, %v", name, reasons, err)
		}
	}
}

// A review file that nobody proposed hinders nothing: it goes out of the way of a batch, and
// one that cannot be read is refused by its name and can be rejected.
func TestForeignReviewsBlockNothing(t *testing.T) {
	add := func(title string) plan.Batch {
		return plan.Batch{Origin: byModel, Ops: []plan.Op{{Type: plan.OpAdd, Path: "a/b", Title: title, Summary: "s", Reason: "r"}}}
	}
	deletion := Review{Items: []plan.ReviewItem{{Op: plan.Op{Type: plan.OpDelete, Path: "a/b/y.md"}, Held: true, Path: "a/b/y.md"}}}
	for name, put := range map[string]func(at string) error{
		"a review":   func(at string) error { return os.WriteFile(at, deletion.encode(), 0o644) },
		"no JSON":    func(at string) error { return os.WriteFile(at, []byte("{\"items\": [\n"), 0o644) },
		"nothing":    func(at string) error { return os.WriteFile(at, nil, 0o644) },
		"no items":   func(at string) error { return os.WriteFile(at, []byte("{}"), 0o644) },
		"a folder":   func(at string) error { return os.MkdirAll(filepath.Join(at, "x"), 0o755) },
		"a link":     func(at string) error { return os.Symlink("/etc/hostname", at) },
		"unreadable": func(at string) error { return os.WriteFile(at, []byte("{}"), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a link" && runtime.GOOS == "windows" {
				t.Skip("links need a privilege")
			}
			dir := onDisk(t, small)
			s := opened(t, dir)
			first := mustApply(t, s, add("First"))
			next := filepath.Join(dir, filepath.FromSlash(reviewFile(first.Batch+1)))
			if err := put(next); err != nil {
				t.Fatal(err)
			}
			if err := put(filepath.Join(dir, filepath.FromSlash(reviewFile(77)))); err != nil {
				t.Fatal(err)
			}

			// It is listed as what cannot be approved, beside the others.
			list, err := s.Reviews.List()
			if err != nil || len(list) < 2 || list[0].Batch != first.Batch || list[0].Items[0].Blocked != "" {
				t.Fatalf("%+v, %v", list, err)
			}
			for _, r := range list[1:] {
				for _, item := range r.Items {
					if item.Blocked == "" {
						t.Errorf("%+v", item)
					}
				}
			}
			if r, err := s.Approve(t.Context(), first.Batch+1, "ada", plan.Decision{}); err == nil && r.Summary.Failed != len(r.Results) {
				t.Errorf("approved: %+v", r)
			}

			// The next batch is held in its place.
			second := mustApply(t, s, add("Second"))
			if second.Batch != first.Batch+1 || second.Summary.Pending != 1 ||
				!strings.Contains(second.Results[0].Message, reviewFile(second.Batch)+foreign) {
				t.Fatalf("%+v", second)
			}
			if again, err := s.Approve(t.Context(), second.Batch, "ada", plan.Decision{}); err != nil || again.Summary.Added != 1 {
				t.Errorf("%+v, %v", again, err)
			}
			if _, err := os.Lstat(next + foreign); err != nil {
				t.Error(err)
			}

			// And the other can be put out of the way.
			if _, err := s.Reject(t.Context(), 77, "ada", "nobody proposed this"); err != nil {
				t.Error(err)
			}
			if left, err := s.Reviews.Waiting(); err != nil || len(left) != 1 || left[0] != first.Batch {
				t.Errorf("%v, %v", left, err)
			}
		})
	}
}
