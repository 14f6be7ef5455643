package txn_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// forged is a record as another user's journal writes it, at the commit point.
func forged(t *testing.T, path string, mode fs.FileMode) string {
	t.Helper()
	d := txntest.NewDisk()
	j := Open(d, "state", Options{})
	change := Change{path, nil, &Image{Data: []byte("#!/bin/sh\n"), Mode: mode}}
	if _, _, err := j.Commit(ctx, plan(change)); err != nil {
		t.Fatal(err)
	}
	return d.Files()["state/journal/0000000001"].Data
}

// Whatever a stranger ships in a journal: nothing is carried out or believed, reading writes
// nothing, and the user's own changes go on as if it were not there.
func TestForeignRecords(t *testing.T) {
	record := forged(t, "hooks/pre-commit.md", 0)
	line, _, _ := strings.Cut(record, "\n")
	for name, ship := range map[string]map[string]string{
		"under way": {"state/txn/0000000001": record},
		"under way, with others": {"state/txn/0000000001": record, "state/txn/0000000001-0123456789ab.0": "staged",
			"state/txn/0000000002": record},
		"over":                      {"state/journal/0000000001": record},
		"the largest id":            {"state/journal/0999999999": record},
		"the largest id, under way": {"state/txn/0999999999": record},
		"the largest id, once more": {"state/damaged/0999999999": record},
		"the largest id, in a log":  {"state/audit.jsonl": "\n" + strings.Replace(line, `"id":1`, `"id":999999999`, 1)},
		"of a newer version":        {"state/journal/0000000004": `{"version":99,"id":4}`},
		"of a newer one, under way": {"state/txn/0000000004": `{"version":99,"id":4}`},
		"no record":                 {"state/journal/0000000009": "nonsense"},
		"huge, and no header": {"state/damaged/0000000001": strings.Repeat("x", 1<<20), "state/journal/0000000002": "{" +
			strings.Repeat("x", 20<<20)},
		"under another name": {"state/journal/0000000007": record, "state/journal/0000000006": ""},
		"sealed in another folder": {"state/txn/0000000001": string(seal.In("testdata/config").For("2").Seal("change",
			[]byte(line+"\n"))) + record[len(line)+1:]},
		"with the digits of nothing": {"state/txn/0000000001": `{"version":1,"id":1,"files":[],"seal":"` + strings.Repeat("0", 64) +
			`"}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisk()
			for at, text := range ship {
				d.Write(at, text)
			}
			before := d.Files()
			j := Open(d, "state", options())
			if j.Interrupted() {
				t.Error("taken for a change of ours")
			}
			if list, err := j.Records(); len(list) > 0 || err != nil {
				t.Errorf("believed: %+v, %v", list, err)
			}
			for _, id := range []int{1, 4, 7, 9, 999_999_999} {
				if _, err := j.Load(id); err == nil {
					t.Errorf("record %d is read", id)
				}
			}
			for h, err := range j.Audit() {
				if err == nil {
					t.Errorf("on record: %+v", h)
				}
			}
			if _, err := j.Foreign(); err != nil {
				t.Error(err)
			}
			if after := d.Files(); len(after) != len(before) {
				t.Errorf("reading has changed files: %v", after)
			}

			for n := range 3 {
				h, _, err := j.Commit(ctx, plan(Change{fmt.Sprintf("context-tree/own/%d.md", n), nil, text("mine")}))
				if err != nil || h.ID > 999_000_000 {
					t.Fatalf("change %d has id %d: %v", n, h.ID, err)
				}
				if r, err := j.Load(h.ID); err != nil || len(r.Changes) != 1 {
					t.Errorf("%+v, %v", r, err)
				}
			}
			if list, err := j.Records(); len(list) != 3 || err != nil {
				t.Errorf("%+v, %v", list, err)
			}
			kept := d.Files()
			for at, text := range ship {
				if strings.Contains(at, "0999999999") || strings.Contains(text, "0123456789ab") {
					continue // moved out of the way
				}
				if kept[at].Data != text && !strings.HasPrefix(at, "state/audit") {
					t.Errorf("%s is gone or changed", at)
				}
			}
			if _, made := d.Files()["hooks/pre-commit.md"]; made {
				t.Error("carried out")
			}
		})
	}
}

// A change is about files that the caller allows, and makes none of them executable, also where
// it says so under the right seal.
func TestWhatChangesMayBeAbout(t *testing.T) {
	allowed := options()
	allowed.MayChange = func(p string) bool { return strings.HasPrefix(p, "context-tree/") }
	for _, p := range []string{"hooks/pre-commit", "config", ".git/config", "../x", "/x", "state/lock", "state/txn/0000000009"} {
		if _, _, err := Open(newDisk(), "state", allowed).Commit(ctx, plan(Change{p, nil, text("x")})); err == nil {
			t.Errorf("%s: changed", p)
		}
	}
	d := newDisk()
	run := &Image{Data: []byte("x"), Mode: 0o755}
	if _, _, err := Open(d, "state", allowed).Commit(ctx, plan(Change{"context-tree/run.md", nil, run})); err != nil {
		t.Fatal(err)
	}
	if mode := d.Files()["context-tree/run.md"].Mode; mode != 0o644 {
		t.Errorf("mode %o", mode)
	}
	// The same, under way, as only a program of the user's that breaks this rule can leave it.
	data := d.Files()["state/journal/0000000001"].Data
	line, rest, _ := strings.Cut(data, "\n")
	body, _ := testSeal.Open("change", []byte(line))
	line = string(testSeal.Seal("change", []byte(strings.ReplaceAll(string(body), "0644", "0755"))))
	rest = rest[:strings.Index(rest, "\nsha256 ")]
	d = newDisk()
	d.Write("state/txn/0000000001", line+rest+"\nsha256 "+sum(line+rest)+"\n")
	if _, err := Open(d, "state", allowed).Recover(ctx); !errors.Is(err, ErrDamaged) {
		t.Errorf("recovered: %v", err)
	}
	if _, made := d.Files()["context-tree/run.md"]; made {
		t.Error("made")
	}
}

// Who is not allowed to write writes nothing, not even a lock.
func TestNothingIsWrittenWhereThatIsNotAllowed(t *testing.T) {
	no := errors.New("no")
	o := options()
	o.Allowed = func() error { return no }
	d := newDisk()
	before := d.Files()
	j := Open(d, "state", o)
	_, _, err := j.Commit(ctx, plan(Change{"context-tree/x.md", nil, text("x")}))
	errs := []error{err, j.Locked(ctx, func() error { return nil }), j.Replace("context-tree/x.md", nil)}
	if i := slices.IndexFunc(errs, func(err error) bool { return !errors.Is(err, no) }); i >= 0 {
		t.Errorf("%d: %v", i, errs[i])
	}
	if after := d.Files(); len(after) != len(before) {
		t.Errorf("%v", after)
	}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// A record of the user's own counts under its own id alone, wherever a copy of it is shipped.
func TestCopiesOfOwnRecordsCountForNothing(t *testing.T) {
	d := newDisk()
	if err := playTo(d, 2); err != nil {
		t.Fatal(err)
	}
	own := d.Files()["state/journal/0000000001"].Data
	for _, at := range []string{"state/journal/0999999999", "state/txn/0999999999", "state/damaged/0999999999"} {
		d.Write(at, own)
	}
	j := Open(d, "state", options())
	if j.Interrupted() {
		t.Error("taken for a change under way")
	}
	_, _, _ = j.Commit(ctx, plan(Change{"context-tree/x.md", nil, text("x")})) // says that one could not be read
	h, _, err := j.Commit(ctx, plan(Change{"context-tree/y.md", nil, text("y")}))
	if err != nil || h.ID > 10 {
		t.Errorf("%d, %v", h.ID, err)
	}
}
