// Package store is a context tree on disk. A [Store] owns the folder: it reads it into snapshots and is the
// only writer of entries.
//
// Reading: [Open] reads the folder once, with the help of a cache of unchanged files; [Store.Refresh] reads
// the changes since then, and publishes the next [tree.Snapshot]. Files over [format.MaxFileSize], binary
// files and everything that is no regular file are left out with a reason, and so are the files over the
// limit of 100,000 ([Limits]).
//
// Changing: [Store.Apply] carries out a plan of package plan as one transaction of internal/txn, which
// compares every file with the plan's expectation. Risky operations wait in [Reviews]; [Store.Undo] reverts a
// batch byte for byte. Uses of entries are counted beside them ([Store.Credit]). Generated files, `_index.md`
// and `_manifest.json`, are written by [Store.Derive] outside of transactions.
//
// The store is made of parts that share the folder and do not know the store: the reader, the counters of
// uses, the wait for entries that another program is saving, [Reviews], and the [Sidecar] for files of other
// packages. Committing is the store's own work, since it needs all of them.
//
// Locks: planning reviews holds the lock of reviews and takes none. Reading holds the reader's lock, and
// takes the journal's to finish an interrupted change; hence a function that the journal calls under its lock
// reads the published snapshot and single files, and never refreshes. [Options.Inputs] is called under the
// locks of the reviews and the journal: of the store it may ask for the snapshot only.
package store
