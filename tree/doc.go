// Package tree is the context tree: a git-friendly folder of markdown entries,
// `.brv/context-tree/`, laid out as domain/topic[/subtopic]/entry.md. The format of
// an entry, read and written, is docs/format.md.
//
// Reading, four values carry everything:
//
//   - [format.Entry] is one parsed file. [format.Parse] is pure, linear in the text and never
//     fails: what it cannot understand becomes a [format.Problem] with a byte range,
//     and the rest of the file still reads.
//   - [Relation] is one mention of another entry inside an entry, with the exact
//     bytes of the mention, in any of the forms real trees hold (frontmatter
//     lists, `@domain/topic/file.md`, markdown and wiki links).
//   - [Snapshot] is the whole tree at one moment: immutable, safe for any number
//     of readers, with forward and back links and a fingerprint. [Snapshot.Update]
//     makes the next from it at the cost of what changed, [Snapshot.With] lays an
//     unsaved buffer over it, and [Snapshot.Move], [Snapshot.Redirect] and
//     [Snapshot.Detach] plan what becomes of relations.
//   - [store.Store] owns the folder on disk and publishes snapshots.
//
// Changing, one value goes down and one comes back: [store.Store.Apply] takes a [plan.Batch]
// of operations ([plan.Op]) and returns a [plan.Report]. Each operation is planned purely,
// on a snapshot (plan.go, steps.go); what the whole batch changes is one
// transaction of internal/txn, which compares every file with what the plan
// expects. What is risky waits in a [store.Review]; [store.Store.Undo] takes a batch back byte
// for byte. Uses of entries are counted beside them ([store.Store.Credit]) and merged
// into [Snapshot.Signals]. What can be made again, `_index.md` and
// `_manifest.json`, is written by [store.Store.Derive] outside of transactions.
//
// What an entry says is its [format.Content]: [format.Entry.Content] reads it, [format.Render] writes a
// new entry, [format.Entry.Revise] and [format.Merge] change one. Edits splice bytes: nothing is
// printed from a parsed form, so what an edit does not name stays as it is.
//
// A file that git left in merge conflict ([format.Conflict]) states nothing until somebody chose: it
// is [format.RoleConflict], not searched, and every plan that would change it fails ([format.Entry.Unmerged]).
//
// Positions are byte offsets into [format.Entry.Text]; spans are half-open. Paths are
// slash-separated and relative to the tree's root. Resolution of a relation
// looks only at the snapshot's own paths, never at the file system, so a
// relation such as `@../../etc/passwd` can be reported but never opened.
//
// Limits: files over [format.MaxFileSize], binary files and anything that is not a
// regular file are left out with a reason ([Snapshot.Skipped]); frontmatter
// over [format.MaxFrontmatter] bytes or with anchors, aliases or tags is reported and
// not decoded, because YAML decoders have quadratic inputs.
package tree
