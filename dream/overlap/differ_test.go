package overlap

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestDiffer compares two entries among others.
func TestDiffer(t *testing.T) {
	var others []*format.Entry
	for i, s := range []string{"Billing runs on the first of each month in `billing/run.go`", "Invoices have numbers by `nextNumber`",
		"Deploys are made from `main` by the robot", "The search index is rebuilt each Sunday", "Errors go to Sentry with the release"} {
		others = append(others, format.Parse(fmt.Sprintf("c/d/%d.md", i), s))
	}
	for _, c := range []struct {
		name, titleA, a, titleB, b string
		want                       []Difference
	}{
		{
			"a number", "Rate limits",
			"- The public API allows 100 requests per minute and client\n- A client above it gets `429` with `Retry-After`",
			"API rate limiting",
			"- Each client may send 500 requests per minute to the public API\n- `Retry-After` comes with the `429`",
			[]Difference{{"The public API allows 100 requests per minute and client",
				"Each client may send 500 requests per minute to the public API"}},
		},
		{
			"a time of two short entries", "Backups",
			"- Backups of the orders database run nightly at 02:00 with `pg_dump`\n- They are kept for 30 days in the bucket " +
				"`orders-backup`",
			"Orders database backup",
			"- The nightly backup of the orders database runs at 04:00\n- It is kept 90 days in `orders-backup`\n- Restores are " +
				"tested each quarter",
			[]Difference{{"They are kept for 30 days in the bucket `orders-backup`", "It is kept 90 days in `orders-backup`"}},
		},
		{
			"the same in another spelling", "Upload size",
			"The upload service in `upload/limit.go` waits for two minutes and rejects files above 10 MB.",
			"Limit of uploads", "`upload/limit.go` rejects files above 10 MB and waits for 120 s.", nil,
		},
		{
			"a not", "Feature flags", "- Flags are evaluated in the browser\n- `flagd` is not called from the server by `render`",
			"Where flags are evaluated", "- Flags are evaluated in the browser\n- `flagd` is called from the server by `render`",
			[]Difference{{"`flagd` is not called from the server by `render`", "`flagd` is called from the server by `render`"}},
		},
		{
			"the same not in other words", "Feature flags",
			"- Flags are evaluated in the browser\n- `flagd` isn't called from the server by `render`",
			"Where flags are evaluated",
			"- Flags are evaluated in the browser\n- `flagd` is never called from the server by `render`", nil,
		},
		{
			"before and after", "Order value", "- The order value of `checkout` is counted after coupons in `total.go`",
			"Order value in reports", "- The order value of `checkout` is counted before coupons in `total.go`",
			[]Difference{{"The order value of `checkout` is counted after coupons in `total.go`",
				"The order value of `checkout` is counted before coupons in `total.go`"}},
		},
		{
			"numbers of different things", "Timeouts",
			"- `dial` waits for 5 s in `net/client.go`\n- `read` waits for 30 s in `net/client.go`",
			"Client timeouts", "- `dial` waits for 5 s in `net/client.go`\n- `write` waits for 10 s in `net/client.go`", nil,
		},
		{
			"one template for two things", "Restore drill: billing database",
			"- The drill is done by `restore.sh`\n- The time limit is 2 hours", "Restore drill: file storage",
			"- The drill is done by `rsync.sh`\n- The time limit is 12 hours",
			[]Difference{{"The time limit is 2 hours", "The time limit is 12 hours"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := func(p, title, body string) *format.Entry {
				return format.Parse(p, fmt.Sprintf("---\ntitle: %s\n---\n## Narrative\n### Rules\n%s\n", title, body))
			}
			x := New(append([]*format.Entry{page("a/b/x.md", c.titleA, c.a), page("a/b/y.md", c.titleB, c.b)}, others...))
			p, _ := x.Compare("a/b/x.md", "a/b/y.md")
			if diff := cmp.Diff(c.want, x.Differ(p)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			p.A, p.B = p.B, p.A
			for i, d := range x.Differ(p) {
				if d.A != c.want[i].B || d.B != c.want[i].A {
					t.Errorf("the other way round: %v", d)
				}
			}
		})
	}
}
