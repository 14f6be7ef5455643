package txn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

// TestAnAuditFileThatIsFullStopsNothing: it is set aside, whether it is ours or a stranger's.
func TestAnAuditFileThatIsFullStopsNothing(t *testing.T) {
	const most = 2000
	strange := strings.Repeat("x", most+1)
	for _, shipped := range []bool{false, true} {
		t.Run(fmt.Sprint("shipped ", shipped), func(t *testing.T) {
			d := txntest.NewDisk()
			if shipped {
				for _, step := range []error{d.Mkdir("state"), d.Create("state/audit.jsonl", []byte(strange), 0, time.Time{})} {
					if step != nil {
						t.Fatal(step)
					}
				}
			}
			o := options()
			o.Keep, o.MaxAudit = 1, most
			j := Open(d, "state", o)
			for n := 1; n <= 40; n++ {
				h, _, err := j.Commit(ctx, plan(Change{fmt.Sprintf("%02d.md", n), nil, text("x")}))
				if err != nil || h.ID != n {
					t.Fatalf("change %d: %+v, %v", n, h, err)
				}
			}
			if info, err := d.Lstat("state/audit.jsonl"); err != nil || info.Size() > most {
				t.Errorf("%v, %v", info, err)
			}
			aside, err := d.ReadDir("state/damaged")
			if err != nil || len(aside) < 2 {
				t.Errorf("set aside: %v, %v", aside, err)
			}
			for h, err := range j.Audit() {
				if err != nil {
					t.Errorf("%+v: %v", h, err)
				}
			}
			rec, err := j.Load(40)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := j.Commit(ctx, plan(rec.Inverse()...)); err != nil {
				t.Errorf("taken back: %v", err)
			}
		})
	}
}

// TestWhatIsChangedCanBeTakenBack: what is too large for a record is refused before anything is written.
func TestWhatIsChangedCanBeTakenBack(t *testing.T) {
	d := newDisk()
	big := &Image{Data: make([]byte, 224<<20+1)}
	_, _, err := Open(d, "state", options()).Commit(ctx, plan(Change{"a.md", nil, big}))
	if err == nil || !strings.Contains(err.Error(), "Split it") {
		t.Errorf("%v", err)
	}
	if _, err := verify(d, 0, 0); err != nil {
		t.Error(err)
	}
}
