package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
)

// talk is a history in which each commit says something of its files.
func talk(t *testing.T) *History {
	p := newProject(t)
	p.commit("proxy: close idle connections after the timeout", "proxy.go", "pool.go")
	p.commit("Raise the read timeout of the server", "server.go")
	p.commit("Close idle connections", "proxy.go")
	p.commit("docs: explain headers", "README.md", "proxy.go", "server.go")
	p.commit("Log the address", "log.go", "server.go")
	return p.read("", Options{})
}

func TestVotes(t *testing.T) {
	h := talk(t)
	votes := h.Votes(words("idle connections stay open"))
	expect(t, "files", ranked(votes), "proxy.go", "pool.go")
	best := votes["proxy.go"]
	if best.Subject != "Close idle connections" || h.Subject(best.Commit) != best.Subject {
		t.Errorf("best commit %d %q", best.Commit, best.Subject)
	}
	pool := votes["pool.go"]
	if want := best.Max + pool.Max; math.Abs(best.Sum-want) > 1e-12 || pool.Sum != pool.Max {
		t.Errorf("Sum = %v, want %v; pool %+v", best.Sum, want, pool)
	}
	if none := h.Votes(words("zebra")); len(none) != 0 {
		t.Errorf("votes for an unknown word: %v", none)
	}
}

// The score of one commit, computed from the formula.
func TestVoteIsBM25(t *testing.T) {
	h := talk(t)
	// "headers" is in one of five messages, "timeout" in two. The messages have
	// 7, 7, 3, 3 and 3 words: 4.6 in the mean.
	score := func(df, length, files float64) float64 {
		idf := math.Log(1 + (5-df+0.5)/(df+0.5))
		return idf * 3 / (1 + 2*(0.5+0.5*length/4.6)) / math.Sqrt(files)
	}
	for _, c := range []struct {
		query, file string
		want        float64
	}{{"headers", "README.md", score(1, 3, 3)}, {"timeout", "server.go", score(2, 7, 1)}, {"timeout", "pool.go", score(2, 7, 2)}} {
		if got := h.Votes(words(c.query))[c.file].Max; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s for %s: %v, want %v", c.query, c.file, got, c.want)
		}
	}
}

func TestWeightsCount(t *testing.T) {
	h := talk(t)
	headers, address := words("headers")[0], words("address")[0]
	question := func(a, b float64) []Weighted {
		return []Weighted{{headers.Term, a}, {address.Term, b}}
	}
	if votes := h.Votes(question(3, 0.1)); votes["README.md"].Sum <= votes["log.go"].Sum {
		t.Errorf("headers weigh most: %v", votes)
	}
	if votes := h.Votes(question(0.1, 3)); votes["README.md"].Sum >= votes["log.go"].Sum {
		t.Errorf("address weighs most: %v", votes)
	}
	for _, bad := range []float64{0, -1, math.NaN()} {
		if got := h.Votes(question(bad, bad)); len(got) != 0 {
			t.Errorf("weight %v votes: %v", bad, got)
		}
	}
	once, twice := h.Votes(question(1, 2)), h.Votes(append(question(0.5, 1), question(0.5, 1)...))
	if !maps.Equal(once, twice) {
		t.Errorf("halves differ: %v, %v", once, twice)
	}
	turned := question(1, 2)
	slices.Reverse(turned)
	if !maps.Equal(once, h.Votes(turned)) {
		t.Error("the order of the question counts")
	}
}

// Of many commits, the 100 best vote; of equal ones, the newest.
func TestBestCommitsVote(t *testing.T) {
	b := synthetic(1000, func(i int) (string, []string) {
		if i%4 == 0 {
			return "wanted word", []string{fmt.Sprint("file", i)}
		}
		return "another thing", []string{fmt.Sprint("other", i)}
	})
	votes := b.Votes(words("wanted"))
	if len(votes) != maxVoters {
		t.Fatalf("%d files", len(votes))
	}
	for i := range maxVoters {
		if _, ok := votes[fmt.Sprint("file", 4*i)]; !ok {
			t.Errorf("file%d has no vote", 4*i)
		}
	}
}

func TestCoChange(t *testing.T) {
	h := talk(t)
	got := h.CoChange("proxy.go")
	want := map[string]float64{"pool.go": 1 / math.Log2(3), "README.md": 0.5, "server.go": 0.5}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if h.CoChange("unknown") != nil {
		t.Error("an unknown file has neighbours")
	}
	if again := h.CoChange("proxy.go"); !maps.Equal(again, want) {
		t.Errorf("the second time: %v", again)
	}
}

func TestAge(t *testing.T) {
	h := talk(t)
	for path, want := range map[string]float64{"log.go": 0, "README.md": 1, "proxy.go": 1, "pool.go": 4} {
		if got, ok := h.Age(path); got != want || !ok {
			t.Errorf("Age(%s) = %v, %v; want %v", path, got, ok, want)
		}
	}
	if _, ok := h.Age("unknown"); ok {
		t.Error("an unknown file has an age")
	}
}
