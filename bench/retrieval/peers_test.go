package main

import (
	"os"
	"testing"
)

// withPeers is the environment variable that says that node and npm are there.
const withPeers = "BRV_PEERS"

func TestPeersAnswerTheSameQuestions(t *testing.T) {
	if os.Getenv(withPeers) == "" {
		t.Skipf("%s is not set: the peers need node and npm", withPeers)
	}
	rows := measured[Row](t, config{data: "testdata", sets: []string{"harbour"}, peers: true})
	found := map[string]bool{}
	for _, r := range rows {
		if r.Engine == engineOurs || r.Engine == engineYardstick {
			continue
		}
		found[r.Engine+" "+r.Scope] = true
		if r.Queries != 4 || r.P50 <= 0 || r.IndexMS <= 0 || r.HeapMB == 0 || r.RSSPeakMB < 1 {
			t.Errorf("%s: %+v", r.Engine, r)
		}
		if want := map[string]float64{"global": 1, "scoped": 0.75}[r.Scope]; !near(r.MRR, want) {
			t.Errorf("%s, %s: MRR %v, want %v", r.Engine, r.Scope, r.MRR, want)
		}
	}
	for _, want := range []string{"minisearch global", "minisearch scoped", "bm25 global", "bm25 scoped"} {
		if !found[want] {
			t.Errorf("no row of %s", want)
		}
	}
}
