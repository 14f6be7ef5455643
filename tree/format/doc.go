// Package format is the format of an entry, docs/format.md: text ⇄ [Entry].
//
// [Parse] is pure, linear in the text and never fails: what it cannot understand becomes a [Problem] with a byte
// range, and the rest of the file still reads. What an entry says is its [Content]: [Entry.Content] reads it,
// [Render] writes a new entry, [Entry.Revise] and [Merge] change one. Edits splice bytes: nothing is printed from a
// parsed form, so what an edit does not name stays as it is.
//
// A file that git left in merge conflict ([Conflict]) states nothing until somebody chose: it is [RoleConflict].
//
// Positions are byte offsets into [Entry.Text]; spans are half-open. Paths are slash-separated and relative to the
// tree's root. Frontmatter over [MaxFrontmatter] bytes or with anchors, aliases or tags is reported and not decoded,
// because YAML decoders have quadratic inputs.
package format
