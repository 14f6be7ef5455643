// MiniSearch as ByteRover 3.16.1 configures it: terms are what stands between
// punctuation and spaces, a title counts three times and a path one and a half times,
// words match by their start and by spelling. Two words or more must all match; only if
// nothing holds them all, any may. Stop words are taken out of the question alone, words
// being split at spaces there. MiniSearch's own constants (BM25+ with k 1.2, b 0.7, d 0.5)
// stay as they are.
import MiniSearch from 'minisearch'
import { eng, removeStopwords } from 'stopword'

const boundary = /[\n\r\p{Z}\p{P}]+/u

// minisearch indexes documents and returns their search: [[id, score], …], best first.
export function minisearch(documents) {
	const scopeOf = new Map(documents.map(d => [d.id, d.scope]))
	const index = new MiniSearch({
		fields: ['title', 'text', 'path'],
		tokenize: text => text.split(boundary),
		searchOptions: { boost: { title: 3, path: 1.5 }, fuzzy: 0.2, prefix: true },
	})
	index.addAll(documents)
	return (text, scope, depth) => {
		const options = scope ? { filter: hit => scopeOf.get(hit.id) === scope } : {}
		const words = text.split(/\s+/).filter(Boolean)
		const telling = removeStopwords(words, eng)
		const query = telling.length ? telling.join(' ') : text
		let hits = []
		if (words.length >= 2) hits = index.search(query, { ...options, combineWith: 'AND' })
		if (!hits.length) hits = index.search(query, { ...options, combineWith: 'OR' })
		return hits.slice(0, depth).map(h => [h.id, h.score])
	}
}
