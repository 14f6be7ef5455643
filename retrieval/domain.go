package retrieval

// outOfDomain reports whether the tree has nothing on the query. It looks at the
// words only, never at signals, so use does not wear it out.
func (r *ranking) outOfDomain() bool {
	return len(r.found) == 0 || r.share(r.known) < minKnown
}

// minKnown is the share of the query's idf that the tree must know.
const minKnown = 0.5

// share is a part of the query's idf mass, 0–1.
func (r *ranking) share(mass float64) float64 {
	if r.mass <= 0 {
		return 0
	}
	return min(1, mass/r.mass)
}
