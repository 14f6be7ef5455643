// Package store is a context tree on disk. A [Store] owns the folder: it reads it into snapshots and is the only
// writer of entries.
//
// Reading: [Open] reads the folder once, with what a cache knows by stamp; [Store.Refresh] reads what changed since,
// and publishes the next [tree.Snapshot]. Files over [format.MaxFileSize], binary files and what is no regular file are
// left out with a reason, and so are those of a tree of over 100,000 ([Limits]).
//
// Changing: [Store.Apply] carries out what package plan planned, as one transaction of internal/txn, which compares
// every file with what the plan expects. What is risky waits in [Reviews]; [Store.Undo] takes a batch back byte for
// byte. Uses of entries are counted beside them ([Store.Credit]). What can be made again, `_index.md` and
// `_manifest.json`, is written by [Store.Derive] outside of transactions.
//
// The store is made of parts that share the folder and know nothing of the store: the reader, the counters of uses,
// the wait for entries that another program is saving, [Reviews], and the [Sidecar] for files of other packages. What
// commits is the store's own, since it needs all of them.
//
// Locks: planning reviews holds theirs and takes none. Reading holds the reader's, and takes the journal's to finish
// what was interrupted; hence a function that the journal calls under its lock reads the published snapshot and
// single files, and never refreshes. [Options.Inputs] is called under the reviews' and the journal's lock: of the
// store it may ask for the snapshot only.
package store
