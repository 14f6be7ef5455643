package retrieval

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"github.com/brv-lsp/brv-lsp/tree"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDump(t *testing.T) {
	out := os.Getenv("DUMP")
	if out == "" {
		t.Skip()
	}
	fh, _ := os.Create(out)
	defer fh.Close()
	dir := os.Getenv("DATA")
	var ood []dq
	lines(t, filepath.Join(dir, "ood-queries/queries.jsonl"), func(b []byte) {
		var q dq
		json.Unmarshal(b, &q)
		ood = append(ood, q)
	})
	for _, s := range strings.Fields("cacm cookbook-docs locomo-session locomo-facts cosqa devdocs-anchors win32-24k") {
		d := load(t, dir, s)
		one := func(q dq, label string) {
			c := d.x.collector(context.Background(), d.x.whole)
			defer c.release()
			r, _ := c.rank(parseWords(q.Text), 30)
			r.rerank(time.Time{})
			n := 0
			for _, cl := range r.clauses {
				if cl.counts {
					n++
				}
			}
			row := map[string]any{"set": s, "label": label, "cat": q.Category, "n": n, "mass": r.mass, "known": r.known, "size": d.x.whole.tokens, "text": q.Text}
			best, bestp := 0.0, 0.0
			for i, cand := range r.found {
				best = max(best, cand.covered)
				bestp = max(bestp, cand.passage.score)
				if i < 2 {
					k := fmt.Sprint(i)
					row["cov"+k], row["words"+k], row["titled"+k], row["pass"+k], row["score"+k] = cand.covered, cand.words, cand.titled, cand.passage.score, cand.score
					row["bm"+k], row["tit"+k], row["head"+k], row["tog"+k] = cand.bm25, cand.title, cand.heading, cand.together
					row["right"+k] = d.rel[q.ID][d.id[d.x.docs[cand.doc].entry.Path]]
				}
			}
			row["bestcov"], row["bestpass"] = best, bestp
			b, _ := json.Marshal(row)
			fh.Write(append(b, '\n'))
		}
		for _, q := range d.queries {
			if len(d.rel[q.ID]) > 0 {
				one(q, "in")
			}
		}
		family := strings.Split(s, "-")[0]
		for _, q := range ood {
			if q.Origin != family && !(family == "win32" && q.Origin == "devdocs") && !(family == "cookbook" && q.Origin == "devdocs") {
				one(q, "out:"+q.Origin)
			}
		}
	}
}

type dset struct {
	name    string
	x       *Index
	queries []dq
	rel     map[string]map[string]bool
	id      map[string]string
}
type dq struct{ ID, Text, Category, Scope, Origin string }

func lines(t testing.TB, p string, f func([]byte)) {
	fh, err := os.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer fh.Close()
	var sc *bufio.Scanner
	if strings.HasSuffix(p, ".gz") {
		z, _ := gzip.NewReader(fh)
		sc = bufio.NewScanner(z)
	} else {
		sc = bufio.NewScanner(fh)
	}
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		f(sc.Bytes())
	}
}

func place(p string) string {
	s := strings.Split(p, "/")
	if len(s) == 1 {
		s = []string{"general", s[0]}
	}
	if len(s) == 2 {
		s = []string{s[0], "general", s[1]}
	}
	if len(s) > 4 {
		s = []string{s[0], s[1], s[2], strings.Join(s[3:], "__")}
	}
	return strings.Join(s, "/")
}

func load(t testing.TB, dir, name string) *dset {
	d := &dset{name: name, rel: map[string]map[string]bool{}, id: map[string]string{}}
	var es []*tree.Entry
	lines(t, filepath.Join(dir, name, "docs.jsonl.gz"), func(b []byte) {
		var x struct{ ID, Title, Path, Text string }
		json.Unmarshal(b, &x)
		p := place(x.Path)
		if !strings.HasSuffix(p, ".md") {
			p += ".md"
		}
		q, _ := json.Marshal(x.Title)
		e := tree.Parse(p, "---\ntitle: "+string(q)+"\n---\n"+x.Text)
		d.id[e.Path] = x.ID
		es = append(es, e)
	})
	lines(t, filepath.Join(dir, name, "queries.jsonl"), func(b []byte) {
		var q dq
		json.Unmarshal(b, &q)
		d.queries = append(d.queries, q)
	})
	lines(t, filepath.Join(dir, name, "qrels.tsv"), func(b []byte) {
		f := strings.Split(string(b), "\t")
		if d.rel[f[0]] == nil {
			d.rel[f[0]] = map[string]bool{}
		}
		d.rel[f[0]][f[1]] = true
	})
	d.x = indexOf(t, tree.NewSnapshot(es, nil))
	return d
}
