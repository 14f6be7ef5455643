package retrieval

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestCmp(t *testing.T) {
	if os.Getenv("CMP") == "" {
		t.Skip()
	}
	base := tuned
	d := load(t, os.Getenv("DATA"), os.Getenv("CMP"))
	rank := func(q dq, v string, show bool) int {
		tuned = base
		json.Unmarshal([]byte(v), &tuned)
		c := d.x.collector(context.Background(), d.x.whole)
		defer c.release()
		r, _ := c.rank(parseWords(q.Text), 30)
		r.rerank(time.Time{})
		for i, cand := range r.found {
			if d.rel[q.ID][d.id[d.x.docs[cand.doc].entry.Path]] {
				if show {
					for _, k := range []int{0, i} {
						e := d.x.docs[r.found[k].doc].entry
						fmt.Printf("   %.2f %s | %s | len %v\n      %s\n", r.found[k].score, e.Path, e.Title, d.x.docs[r.found[k].doc].len, r.explain(r.found[k]))
					}
				}
				return i + 1
			}
		}
		return 99
	}
	for _, q := range d.queries {
		a, b := rank(q, os.Getenv("VA"), false), rank(q, os.Getenv("VB"), false)
		if a != b && min(a, b) == 1 {
			fmt.Printf("%q %s: %d %d\n", q.Text, q.Category, a, b)
			if os.Getenv("SHOW") != "" {
				rank(q, os.Getenv("VB"), true)
			}
		}
	}
}
