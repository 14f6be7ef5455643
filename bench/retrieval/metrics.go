package main

import "math"

// depth is the rank down to which results are looked at.
const depth = 10

// ranked is a document that an engine found.
type ranked struct {
	id    string
	score float64
}

// outcome is an engine's result for one question.
type outcome struct {
	id       string   // of the question
	hits     []ranked // best first, at most depth
	refused  bool     // called out of domain; for an engine without such a verdict, nothing found
	direct   bool     // the engine took its first hit for the answer
	searched spent    // by ranking alone
	answered spent    // by the whole answer; zero for an engine that only ranks
}

// quality is how good the rankings of some questions are. Gains are binary and
// recall is the share of a question's relevant documents that were found, so that R@1
// of a question with two is at most 0.5.
type quality struct {
	R1          float64 `json:"r1"`
	R5          float64 `json:"r5"`
	R10         float64 `json:"r10"`
	MRR         float64 `json:"mrr10"`
	NDCG        float64 `json:"ndcg10"`
	Refused     float64 `json:"refused"`      // share of the questions, all of which have an answer
	Direct      float64 `json:"direct"`       // share of the questions answered directly
	DirectRight float64 `json:"direct_right"` // share of those whose first hit is relevant
}

func qualityOf(outcomes []outcome, relevant map[string]map[string]bool) quality {
	var sum quality
	for _, o := range outcomes {
		q := rate(o, relevant[o.id])
		for i, v := range q.shares() {
			*sum.shares()[i] += *v
		}
		sum.DirectRight += q.DirectRight
	}
	for _, v := range sum.shares() {
		*v /= float64(max(1, len(outcomes)))
	}
	if sum.Direct > 0 {
		sum.DirectRight /= sum.Direct * float64(len(outcomes))
	}
	return sum
}

// shares are the figures that are means over all questions.
func (q *quality) shares() []*float64 {
	return []*float64{&q.R1, &q.R5, &q.R10, &q.MRR, &q.NDCG, &q.Refused, &q.Direct}
}

// rate is the quality of one ranking.
func rate(o outcome, relevant map[string]bool) quality {
	var q quality
	found, gain, ideal := 0.0, 0.0, 0.0
	for i := range min(depth, len(relevant)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, h := range o.hits[:min(depth, len(o.hits))] {
		if relevant[h.id] {
			if found == 0 {
				q.MRR = 1 / float64(i+1)
			}
			found++
			gain += 1 / math.Log2(float64(i)+2)
		}
		recall := found / float64(len(relevant))
		if i < 1 {
			q.R1 = recall
		}
		if i < 5 {
			q.R5 = recall
		}
		q.R10 = recall
	}
	q.NDCG = gain / ideal
	if o.refused {
		q.Refused = 1
	}
	if o.direct {
		q.Direct = 1
		q.DirectRight = math.Floor(q.MRR) // 1 if the first hit is relevant
	}
	return q
}
