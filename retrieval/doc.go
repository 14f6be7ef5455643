// Package retrieval answers questions from a context tree: which entries are about
// this, which passage says it, and is there an answer at all.
//
//	engine, err := retrieval.New(retrieval.Options{Cache: dir, Root: root})
//	ladder := retrieval.NewLadder(retrieval.LadderOptions{Model: model})
//	a, err := ladder.Answer(ctx, retrieval.In(engine, snapshot), retrieval.Query{Text: "retry budget"})
//
// A [Ladder] answers, by the cheapest of five tiers that can. It searches through an
// [Engine]: what ranks the entries of a snapshot. [Retriever] is the engine of this
// program; it keeps an index in step with the tree, and the search of a snapshot never
// changes and may be used by any number of goroutines, also after the engine moved on.
//
// # How a question becomes an answer
//
//	remembered  the same question (tier 0), or one that is alike (tier 1, package alike),
//	            of the same tree
//	scope       a folder in front of the question ("auth/jwt refresh token") narrows the search
//	analysis    text → terms: identifiers split and kept whole, English stems, CJK pairs
//	            (package words)
//	postings    the index tells which entries hold a term, in which fields, how often; other
//	            forms and other words for it count as a part of it
//	score       BM25F over these, + agreement with titles and headings, + togetherness in a
//	            passage and nearness in a sentence, × a lifecycle factor close to 1
//	domain      does the tree know anything about this? if not, say so
//	scale       raw score → probability that the hit is what was asked for
//	tier        sure enough → the entry or its best section is the answer (tier 2); else a model
//	            answers, once (tier 3) or with tools (tier 4); without one, ranked passages
//	expand      what the best hits are related to comes behind them
//
// Each step has its file, or its package. Every score can be taken apart ([Hit.Why], [Hit.Sure]), and so
// can a refusal ([Result.Evidence]).
//
// # The index
//
// A base, built once and never changed, and a delta beside it: what changed since.
//
//	tally     how often an entry holds a term, in all fields, in one number
//	segment   terms → documents and tallies, in bleve's segments (zap)
//	base      segments and the docs they number; lists that were asked for, decoded
//	delta     the same of what came after, in maps; what is gone is marked
//	saved     a base as a file, for the next process
//	store     base, delta and what is alive, as the next Index takes them
//
// An edit analyses one entry and adds it to the delta; an Index handed out knows the
// numbers of its own documents, so that what comes later is none of its business. A
// delta that has grown is replaced, in the background, by a fresh base. An index
// updated step by step, one built from scratch and one read from a file answer
// exactly alike.
//
// Of bleve this takes the segments — compressed postings, and dictionaries that are
// searched by prefix and by edit distance — and its English stemmer, stop words and
// folding. Not its score, which is not BM25: lengths are quantised, idf counts twice,
// and a coordination factor multiplies across fields, so its scale moves with the
// query and long entries are crushed. Here lengths stand beside the index, exact, and
// the sums are made from the tallies. And not the index that bleve keeps around its
// segments: on disk it has one writer, whose lock other processes wait for, and maps
// files that may be damaged; in memory it never merges. Any matching entry is found
// (terms are OR-ed); spelling is bent only for a word that nothing matches.
//
// With [Options.Cache] a base is saved there. The file is verified as a whole, of the
// same analysis, and compared with the tree by content hashes before it serves; what
// is wrong with it only costs the time to build anew. Nobody waits for anybody:
// there is no lock.
//
// # Scale and tiers
//
// [Hit.Score] estimates a probability, calibrated on labelled data (calibrate.go). An
// answer is direct if the tree surely knows what is asked, the best score is at least 0.85 and either there is one hit only,
// or it is at least 0.93, or leads by 0.08. It shows the entry's summary and then the
// entry, if it is short, else the section that says most of what was asked (section.go);
// its headings are bold lines there, so that they do not look like the answer's own.
// What is no direct answer and has no model is passages, marked as material: a wrong
// answer given with confidence is worse than five right places to look. They are marked as
// unsure where the tree may be about something else ([Evidence.Sure]), and a question is
// only refused where no word that it is about stands anywhere.
//
// # Models
//
// Tier 3 asks a model once over what the search found, and tier 4 lets it search, read
// entries, follow relations and look at outlines of code until it answers or a limit
// ends it ([llm.Run]). Both show it the folders, the files that the tree's manifest
// chooses for its lanes, those that the question touches first, and of each hit the
// passage with as much of the entry around it as fits. All of that is quoted between
// tags with a nonce that no entry holds; that quoted text gives no orders is said where
// entries cannot write, in the system prompt (prompts/*.md). What comes back is read
// critically: sources are the citations that exist in the snapshot, others are marked;
// an answer without any names what it was written from; "not covered" is said as such. A
// model that fails, is too slow or says nothing leaves the ranked passages.
//
// # Words that tell nothing
//
// In a small tree most words of English stand nowhere, and "what happens when … twice"
// is no sign that a question is foreign. How common a word is in technical English
// (words.Frequency) tells whether a tree uses it more than everybody does, and which
// words are not taken for typing errors of others. No word list says which words tell
// nothing: what is measured is how often they are used.
//
// # Limits
//
// Queries are cut at 8 KiB and 64 words. Stems, other words and frequencies are
// English; other languages match by their word forms, scripts without spaces by pairs
// of characters, and words of six languages that no entry holds by English ones (package alike).
// Without an encoder nothing is known of meaning: a question that shares no word
// with its answer, nor another word for one, does not find it. With one ([Options.Meaning]) the
// nearest entries are candidates too, and nearness is one more sign (meaning.go, domain.go).
package retrieval
