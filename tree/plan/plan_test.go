package plan

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var testNow = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// TestBatchesMayBeginWithMarks has the byte order marks of programs on Windows; lines are counted as before.
func TestBatchesMayBeginWithMarks(t *testing.T) {
	for _, text := range []string{`[{"type": "DELETE"}]`, `{"ops": [{"type": "DELETE"}]}`, `{"operations": [{"type": "ADD", "title": "größe 🚀"}]}`} {
		plain, err := ParseBatch([]byte(text))
		for _, written := range []string{
			"\ufeff" + text, "\ufeff\ufeff" + text, "\ufeff\r\n\ufeff" + text, "\r\n\ufeff" + text, "\ufeff" + text + "\r\n", " \ufeff\t" + text,
			utf16Of("\ufeff"+text, binary.LittleEndian), utf16Of("\ufeff"+text, binary.BigEndian), utf16Of("\ufeff"+text+"\r\n", binary.LittleEndian),
			utf16Of("\ufeff\r\n"+text, binary.LittleEndian), utf16Of("\ufeff\ufeff"+text, binary.LittleEndian),
		} {
			marked, wrong := ParseBatch([]byte(written))
			if fmt.Sprint(err) != fmt.Sprint(wrong) || !slices.EqualFunc(plain.Ops, marked.Ops, func(a, b Op) bool { return a.Type == b.Type && a.Title == b.Title }) {
				t.Errorf("%q: %v, %v", written, err, wrong)
			}
		}
	}
	if _, err := ParseBatch([]byte("\ufeff[\n x]")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
}

func utf16Of(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// TestOperations plans the batch of each archive's file "ops.json" on the tree of
// the others, and compares the results and the diff.
func TestOperations(t *testing.T) {
	goldentest.Archives(t, "testdata/ops/*.txtar", func(files []txtar.File) string {
		var entries []*format.Entry
		var b Batch
		for _, f := range files {
			if f.Name != "ops.json" {
				entries = append(entries, format.Parse(f.Name, string(f.Data)))
				continue
			}
			var err error
			if b, err = ParseBatch(f.Data); err != nil {
				return "error: " + err.Error() + "\n"
			}
		}
		p := New(tree.NewSnapshot(entries, nil), b, Inputs{Now: Stamp(testNow)})
		if broken := newlyBroken(p); len(broken) > 0 {
			t.Errorf("relations broken without being named: %q", broken)
		}
		results, err := json.MarshalIndent(p.Results, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		counts, err := json.Marshal(p.Summary)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		fmt.Fprintf(&out, "%s\n%s\n%s", counts, results, diffOf(p.Before, p.After, p.Changed()))
		for _, h := range p.Held {
			fmt.Fprintf(&out, "held %d, on %d entries:\n%s", h.Index, len(h.Base), h.Diff)
		}
		return out.String()
	})
}

// newlyBroken are the relations that led somewhere before the batch, lead nowhere
// after it, and are named in no result.
func newlyBroken(p *Plan) (out []string) {
	named := map[string]bool{}
	for _, r := range p.Results {
		for _, d := range r.Dangling {
			named[d] = true
		}
	}
	before := map[string]bool{}
	for _, e := range p.Before.Entries() {
		for _, r := range p.Before.Relations(e.Path) {
			if r.Target == "" {
				before[e.Path+" "+r.Raw] = true
			}
		}
	}
	for _, e := range p.After.Entries() {
		for _, r := range p.After.Relations(e.Path) {
			if r.Target == "" && !before[e.Path+" "+r.Raw] && !named[mentionAt(e, r.Mention)] {
				out = append(out, mentionAt(e, r.Mention))
			}
		}
	}
	return out
}
