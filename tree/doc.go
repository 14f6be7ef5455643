// Package tree reads the context tree: a git-friendly folder of markdown
// entries, `.brv/context-tree/`, laid out as domain/topic[/subtopic]/entry.md.
//
// Four values carry everything:
//
//   - [Entry] is one parsed file. [Parse] is pure, linear in the text and never
//     fails: what it cannot understand becomes a [Problem] with a byte range,
//     and the rest of the file still reads.
//   - [Relation] is one mention of another entry inside an entry, with the exact
//     bytes of the mention, in any of the forms real trees hold (frontmatter
//     lists, `@domain/topic/file.md`, markdown and wiki links).
//   - [Snapshot] is the whole tree at one moment: immutable, safe for any number
//     of readers, with forward and back links and a fingerprint. [Snapshot.With]
//     lays an unsaved buffer over it.
//   - [Store] owns the folder on disk and publishes snapshots.
//
// Positions are byte offsets into [Entry.Text]; spans are half-open. Paths are
// slash-separated and relative to the tree's root. Resolution of a relation
// looks only at the snapshot's own paths, never at the file system, so a
// relation such as `@../../etc/passwd` can be reported but never opened.
//
// Limits: files over [MaxFileSize], binary files and anything that is not a
// regular file are left out with a reason ([Snapshot.Skipped]); frontmatter
// over [MaxFrontmatter] bytes or with anchors, aliases or tags is reported and
// not decoded, because YAML decoders have quadratic inputs.
package tree
