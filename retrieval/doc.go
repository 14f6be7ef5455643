// Package retrieval answers questions from a context tree: which entries are about
// this, which passage says it, and is there an answer at all.
//
//	r, err := retrieval.New(retrieval.Options{})
//	x, err := r.Sync(ctx, snapshot)                  // cheap when little changed
//	a, err := x.Answer(ctx, retrieval.Query{Text: "retry budget"})
//
// A [Retriever] keeps a search index in step with a tree; [Retriever.Sync] returns
// the [Index] of one snapshot, which never changes and may be asked by any number
// of goroutines, also after the Retriever has moved on. [Index.Search] ranks,
// [Index.Answer] decides what may be said.
//
// # How a question becomes an answer
//
//	scope     a folder in front of the question ("auth/jwt refresh token") narrows the search
//	analysis  words → terms: identifiers split and kept whole, English stems, CJK pairs
//	postings  bleve tells which entries hold a term, in which fields, how often
//	score     BM25F over these, + agreement with titles and headings, + togetherness in a
//	          passage, × a lifecycle factor close to 1
//	domain    does the tree know anything about this? if not, say so
//	scale     raw score → probability that the hit is what was asked for
//	tier      sure enough → the entry or its best section is the answer (tier 2); else
//	          ranked passages (tier 3)
//
// Each step has its file. Every score can be taken apart: [Hit.Why].
//
// # Why bleve's own score is not used
//
// Bleve holds the postings, finds terms by prefix and by edit distance, and keeps
// every reader's view unchanged while batches go in. Its score is not BM25: lengths
// are quantised, idf counts twice, and a coordination factor multiplies across
// fields, so its scale moves with the query and long entries are crushed. Here
// lengths stand beside the index, exact, and the sums are made from bleve's term
// frequencies. Any matching entry is found (terms are OR-ed); spelling is bent only
// for a word that nothing matches.
//
// An index in memory never merges its segments. After enough updates the Retriever
// builds a fresh one in the background and swaps it in; an index updated step by
// step answers exactly like one built from scratch.
//
// # Scale and tiers
//
// [Hit.Score] estimates a probability, calibrated on labelled data (calibrate.go).
// An answer is direct if the best score is at least 0.85 and either there is one
// hit only, or it is at least 0.93, or leads by 0.08. Everything else is passages,
// marked as such: without a model nobody here can read, and a wrong answer given
// with confidence is worse than five right places to look.
//
// A direct answer shows the entry's summary and then the entry, if it is short, else
// the section that says most of what was asked (section.go); its headings are bold
// lines there, so that they do not look like the answer's own.
//
// # General words
//
// In a small tree most words of English stand nowhere, and "what happens when … twice"
// is no sign that a question is foreign. Words of general.txt that nothing holds weigh
// little in that verdict, and are not taken for typing errors of other words. They are
// no stop words: where an entry holds one it counts like any other.
//
// # Limits
//
// Queries are cut at 8 KiB and 64 words. Stems are English; other languages match
// by their word forms, scripts without spaces by pairs of characters; general words
// are known of English alone. Nothing is
// known of meaning: a question sharing no word with its answer does not find it.
// The index lives in memory only and is built anew by each process.
package retrieval
