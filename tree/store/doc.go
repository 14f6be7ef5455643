// Package store is a context tree on disk. A [Store] owns the folder: it reads it into snapshots and is the only
// writer of entries.
//
// Reading: [Open] reads the folder once, with what a cache knows by stamp; [Store.Refresh] reads what changed since,
// and publishes the next [tree.Snapshot]. Files over [format.MaxFileSize], binary files and what is no regular file are
// left out with a reason.
//
// Changing: [Store.Apply] carries out what package plan planned, as one transaction of internal/txn, which compares
// every file with what the plan expects. What is risky waits in a [Review]; [Store.Undo] takes a batch back byte for
// byte. Uses of entries are counted beside them ([Store.Credit]). What can be made again, `_index.md` and
// `_manifest.json`, is written by [Store.Derive] outside of transactions.
package store
