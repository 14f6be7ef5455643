// Package tree is the context tree as a value: a git-friendly folder of markdown entries, `.brv/context-tree/`, laid
// out as domain/topic[/subtopic]/entry.md, at one moment.
//
// A [Snapshot] is immutable and safe for any number of readers. It has the entries ([format.Entry]), their relations
// ([Relation]) forward and back, signals, problems and a fingerprint. [Snapshot.Update] makes the next from it at the
// cost of what changed, and [Snapshot.With] lays an unsaved buffer over it.
//
// A relation is looked up among the snapshot's own paths, never in the file system, so that one such as
// `@../../etc/passwd` can be reported but never opened. Positions are byte offsets into an entry's text; paths are
// slash-separated and relative to the tree's root.
//
// Below it stand package format (the text of an entry) and package digest (what entries say in few words); above it
// packages relink (edits that keep relations), derived (generated files), plan (what a batch of operations would
// change) and store (the folder on disk).
package tree
