package format

import "strings"

// SectionSign stands between a document's path and a section's title in the path of an entry that stands for a section
// of a document which is no part of the tree (package documents). Such an entry has the whole document as its text, and
// the section as its body.
const SectionSign = " › "

// SectionOf splits the path of such an entry; ok is false for one of the tree.
func SectionOf(p string) (file, title string, ok bool) { return strings.Cut(p, SectionSign) }
