package txn_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// Whatever stands in the journal's files, nothing panics, no path leaves the
// folder, no file changes that no record names, and when what is damaged was moved
// away the journal works.
func FuzzRecovery(f *testing.F) {
	d := newDisk()
	if err := playTo(d, 3); err != nil {
		f.Fatal(err)
	}
	for _, p := range []string{"state/journal/0000000001", "state/journal/0000000002", "state/journal/0000000003"} {
		data := d.Files()[p].Data
		body := data[:strings.LastIndex(data, "\nsha256 ")]
		for _, id := range []int{1, 2, 4} {
			f.Add([]byte(body), []byte(body), []byte("{"), id, true)
			f.Add([]byte(data), []byte(data), []byte(data), id, false)
		}
	}
	empty := fmt.Sprintf("%x", sha256.Sum256(nil))
	for _, path := range []string{"../out.md", "/etc/x", "a/../../b", "state/lock", "state/txn/0000000001", "context-tree/a/one.md",
		"canary.md", ".", "", "a\x00b", "a/b/c"} {
		name, _ := json.Marshal(path)
		line := fmt.Sprintf(
			`{"version":1,"id":4,"time":"2020-01-01T00:00:00Z","files":[{"path":%s,"after":{"sha256":"%s","size":0}}],"made":["a","../b"]}`+"\n", name, empty)
		f.Add([]byte(line), []byte(line), []byte(line), 4, true)
		f.Add([]byte(strings.Replace(line, `,"made":["a","../b"]`, "", 1)), []byte(line), []byte(line), 4, true)
		f.Add([]byte(strings.Replace(line, `"size":0`, `"size":-1`, 1)), []byte(line), []byte(line), 4, true)
	}
	f.Fuzz(func(t *testing.T, txn, journal, audit []byte, id int, sum bool) {
		if id < 0 || id > 9_999_999_999 {
			return
		}
		d := newDisk()
		d.Write("canary.md", "")
		d.Write(fmt.Sprintf("state/txn/%010d", id), string(closed(txn, sum)))
		d.Write(fmt.Sprintf("state/journal/%010d", max(id-1, 0)), string(closed(journal, sum)))
		d.Write("state/audit.jsonl", string(audit))
		before := d.Files(own...)
		hook := func(s txntest.Step) error {
			if !fs.ValidPath(s.Path) || s.To != "" && !fs.ValidPath(s.To) {
				t.Errorf("step %v", s)
			}
			return nil
		}
		j := Open(&txntest.Steps{FS: d, Hook: hook}, "state", options())
		_, err := j.Recover(ctx)
		checkUntouched(t, before, d.Files(own...), txn)
		readAll(j)
		if errors.Is(err, ErrDamaged) {
			_, err = j.Recover(ctx)
		}
		if err != nil && !errors.Is(err, ErrNewer) {
			t.Errorf("recover: %v", err)
		}
		_, _, err = j.Commit(ctx, plan(Change{"context-tree/next.md", nil, text("x")}))
		if err != nil && !errors.Is(err, ErrNewer) && !strings.Contains(err.Error(), "the journal is full") &&
			!strings.Contains(string(txn), "next.md") {
			t.Errorf("commit: %v", err)
		}
	})
}

// closed adds the closing checksum.
func closed(data []byte, sum bool) []byte {
	if !sum {
		return data
	}
	return fmt.Appendf(data[:len(data):len(data)], "\nsha256 %x\n", sha256.Sum256(data))
}

func checkUntouched(t *testing.T, before, after map[string]txntest.File, record []byte) {
	t.Helper()
	line, _, _ := strings.Cut(string(record), "\n")
	var h struct{ Files []struct{ Path string } }
	_ = json.Unmarshal([]byte(line), &h)
	named := map[string]bool{}
	for _, file := range h.Files {
		named[file.Path] = true
	}
	for p, f := range before {
		if !named[p] && after[p] != f {
			t.Errorf("%s changed", p)
		}
	}
	for p := range after {
		if _, old := before[p]; !old && !named[p] {
			t.Errorf("%s appeared", p)
		}
	}
}

func readAll(j *Journal) {
	j.Interrupted()
	list, _ := j.Records()
	for _, h := range list {
		if r, err := j.Load(h.ID); err == nil {
			r.Inverse()
		}
	}
	for range j.Audit() {
		continue
	}
}
