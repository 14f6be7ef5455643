// Package digest says in few words what entries say: the summary of a folder ([Writer]) and the cue of an archived
// entry ([Cue]). It extracts and never invents: titles, summaries and sentences of the entries in their order, and for
// cues the names in them, within a budget of tokens.
package digest
