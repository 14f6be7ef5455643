// Package digest says in few words what entries say: the summary of a folder ([Writer]) and the cue of an archived
// entry ([Cue]). It extracts and never invents: sentences and names of the entries, those first that tell them apart
// from their neighbours, within a budget of tokens.
package digest
