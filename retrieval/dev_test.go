package retrieval

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

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
	start := time.Now()
	s := tree.NewSnapshot(es, nil)
	snapT := time.Since(start)
	r, _ := New(Options{})
	start = time.Now()
	x, err := r.Sync(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s: %d docs snapshot %v index %v\n", name, x.Len(), snapT, time.Since(start))
	d.x = x
	return d
}

func TestDev(t *testing.T) {
	dir := os.Getenv("DATA")
	if dir == "" {
		t.Skip()
	}
	sets := strings.Fields(os.Getenv("SETS"))
	if len(sets) == 0 {
		sets = []string{"cacm", "cookbook-docs", "locomo-session", "locomo-facts", "cosqa", "devdocs-anchors", "win32-24k"}
	}
	var ds []*dset
	for _, s := range sets {
		ds = append(ds, load(t, dir, s))
	}
	base := tuned
	for _, v := range strings.Split(os.Getenv("VARIANTS"), ";") {
		tuned = base
		if v = strings.TrimSpace(v); v != "" {
			if err := json.Unmarshal([]byte(v), &tuned); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Printf("== %s\n", v)
		for _, d := range ds {
			d.eval(t)
		}
	}
}

func (d *dset) eval(t testing.TB) {
	var r1, r5, r10, mrr, ndcg float64
	n := 0
	var busy time.Duration
	for _, q := range d.queries {
		if d.name == "win32-24k" && func() bool { var n int; fmt.Sscanf(q.ID, "w%d", &n); return n%4 != 0 }() && os.Getenv("FULL") == "" {
			continue
		}
		if d.name == "locomo-session" && q.Category == "adversarial" && os.Getenv("ADV") == "" {
		}
		rel := d.rel[q.ID]
		if len(rel) == 0 {
			continue
		}
		n++
		start := time.Now()
		got := d.x.devSearch(q.Text)
		busy += time.Since(start)
		var h1, h5, h10, dcg, idcg float64
		first := 0
		for i, p := range got {
			if i >= 10 {
				break
			}
			if rel[d.id[p]] {
				if i < 1 {
					h1++
				}
				if i < 5 {
					h5++
				}
				h10++
				dcg += 1 / math.Log2(float64(i+2))
				if first == 0 {
					first = i + 1
				}
			}
		}
		for i := range min(10, len(rel)) {
			idcg += 1 / math.Log2(float64(i+2))
		}
		k := float64(len(rel))
		r1 += h1 / k
		r5 += h5 / k
		r10 += h10 / k
		ndcg += dcg / idcg
		if first > 0 {
			mrr += 1 / float64(first)
		}
	}
	k := float64(n)
	fmt.Printf("%-18s %4d  R1 %.3f R5 %.3f R10 %.3f MRR %.3f nDCG %.3f  %v/q\n", d.name, n, r1/k, r5/k, r10/k, mrr/k, ndcg/k, (busy / time.Duration(n)).Round(time.Microsecond))
}

func (x *Index) devSearch(q string) []string {
	c := x.collector(context.Background(), x.whole)
	defer c.release()
	r, err := c.rank(parseWords(q), 30)
	if err != nil {
		panic(err)
	}
	r.rerank(time.Time{})
	var out []string
	for i, c := range r.found {
		if i == 10 {
			break
		}
		out = append(out, x.docs[c.doc].entry.Path)
	}
	return out
}
