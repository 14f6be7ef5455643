package retrieval

import (
	"context"
	"encoding/json"
	"fmt"
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
	json.Unmarshal([]byte(os.Getenv("START")), &tuned)
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
			row := map[string]any{"set": s, "label": label, "cat": q.Category, "n": n, "mass": r.mass, "known": r.known, "size": d.x.Len(), "text": q.Text}
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
