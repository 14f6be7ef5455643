package retrieval

// confidence maps a candidate's score onto 0–1.
func (r *ranking) confidence(c candidate) float64 {
	ideal := r.mass * (tuned.K1 + 1 + tuned.Title + tuned.Pass)
	if ideal <= 0 {
		return 0
	}
	return min(1, c.score/ideal)
}
