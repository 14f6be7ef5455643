package retrieval

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"
)

func TestFail(t *testing.T) {
	if os.Getenv("FAIL") == "" {
		t.Skip()
	}
	json.Unmarshal([]byte(os.Getenv("START")), &tuned)
	d := load(t, os.Getenv("DATA"), os.Getenv("FAIL"))
	for _, q := range d.queries {
		var n int
		if fmt.Sscanf(q.ID, "w%d", &n); n%4 != 0 {
			continue
		}
		c := d.x.collector(context.Background(), d.x.whole)
		r, _ := c.rank(parseWords(q.Text), 30)
		r.rerank(time.Time{})
		for i, cand := range r.found {
			if d.rel[q.ID][d.id[d.x.docs[cand.doc].entry.Path]] {
				if i > 0 {
					fmt.Printf("#%d %q %s\n", i+1, q.Text, q.Category)
					for _, k := range []int{0, i} {
						e := d.x.docs[r.found[k].doc].entry
						s := r.explain(r.found[k])
						fmt.Printf("   %.2f %s | %s | len %v\n      %s\n", r.found[k].score, e.Path, e.Title, d.x.docs[r.found[k].doc].len, s)
					}
				}
				break
			}
		}
		c.release()
	}
}
