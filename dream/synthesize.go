package dream

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Candidate is something that recurs across domains: a pattern that is worth an entry, if
// somebody, or a model, sees what it is.
type Candidate struct {
	Subject string   `json:"subject"` // a tag, a keyword or a file of the code
	Kind    string   `json:"kind"`    // tag, keyword or file
	Domains []string `json:"domains"`
	Entries []string `json:"entries"` // the first of each domain, by path
}

// Bounds of what is listed.
const (
	maxPatterns    = 10
	enoughDomains  = 2   // specification, "Synthesize"
	tooManyDomains = 0.5 // what more than half of the domains, of more than four, have is no pattern of some
	patternEntries = 6
)

// recurring lists what recurs across domains, the rarest and most widespread first.
func recurring(m material) []Candidate {
	type subject struct{ kind, name string }
	where := map[subject]map[string][]string{} // domain → entries
	domains, total := map[string]bool{}, 0
	for _, e := range m.tree.Entries() {
		domain, _, ok := strings.Cut(e.Path, "/")
		if e.Role != tree.RoleEntry || !ok {
			continue
		}
		domains[domain] = true
		total++
		mine := map[subject]bool{}
		for _, t := range e.Tags {
			mine[subject{"tag", strings.ToLower(t)}] = true
		}
		for _, k := range e.Keywords {
			mine[subject{"keyword", strings.ToLower(k)}] = true
		}
		for _, f := range e.Files {
			mine[subject{"file", f.Path}] = true
		}
		for s := range mine {
			if where[s] == nil {
				where[s] = map[string][]string{}
			}
			where[s][domain] = append(where[s][domain], e.Path)
		}
	}
	if len(domains) < enoughDomains {
		return nil
	}
	type scored struct {
		Candidate
		score float64
	}
	var out []scored
	for s, in := range where {
		if len(in) < enoughDomains || len(domains) > 4 && float64(len(in)) > tooManyDomains*float64(len(domains)) {
			continue
		}
		c := Candidate{Subject: s.name, Kind: s.kind, Domains: slices.Sorted(maps.Keys(in))}
		n := 0
		for _, d := range c.Domains {
			n += len(in[d])
			c.Entries = append(c.Entries, in[d][0])
		}
		c.Entries = c.Entries[:min(len(c.Entries), patternEntries)]
		out = append(out, scored{c, float64(len(in)) * math.Log(float64(total+1)/float64(n))})
	}
	slices.SortFunc(out, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Subject, b.Subject))
	})
	list := make([]Candidate, 0, maxPatterns)
	for _, s := range out[:min(len(out), maxPatterns)] {
		list = append(list, s.Candidate)
	}
	return list
}
