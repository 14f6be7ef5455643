package tree

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// MarkSign begins a comment of code that names an entry or a folder of the tree; its path follows.
const MarkSign = "@brv:"

// CodeMark is a comment of code that names an entry.
type CodeMark struct {
	Path   string // of the code file, in the project's folder
	Line   int    // 1-based
	Target string // as written behind the sign
}

// Meant returns the entries that a mark's target names, read as a relation's path: an entry, or a
// folder, which means its context.md or else each of its entries. Without any, reason says why.
func (s *Snapshot) Meant(target string) (entries []string, folder bool, reason string) {
	r := s.Resolve("", format.FormAt, target)
	if r.Target != "" {
		return []string{r.Target}, false, ""
	}
	if r.Escapes {
		return nil, false, MarkSign + target + " leads out of the context tree"
	}
	if len(r.Candidates) == 0 {
		return nil, false, MarkSign + target + " does not name an entry of the context tree"
	}
	// Spellings of one name lie in one folder too, but that is not the target's own.
	dir := path.Dir(r.Candidates[0])
	sameFolder := !slices.ContainsFunc(r.Candidates, func(c string) bool { return path.Dir(c) != dir })
	if sameFolder && lenient(dir) == lenient(strings.Trim(path.Clean(target), "/")) {
		return r.Candidates, true, ""
	}
	return nil, false, MarkSign + target + " can mean " + strings.Join(r.Candidates, " or ")
}

// lenient reports differences that relations also ignore.
func lenient(p string) string { return strings.ReplaceAll(strings.ToLower(p), "_", "-") }

// Remark rewrites a mark's target so that it means the same after a change, except for entries that moved to
// "", which are deleted. Names that did not change keep their spelling.
func Remark(before, after *Snapshot, target string, moved map[string]string) (string, bool) {
	all, _, _ := before.Meant(target)
	var meant, want []string
	for _, entry := range all {
		to, ok := moved[entry]
		if !ok {
			to = entry
		}
		if to != "" {
			meant, want = append(meant, entry), append(want, to)
		}
	}
	slices.Sort(want)
	if want = slices.Compact(want); len(want) == 0 {
		return "", false
	}
	fits := func(target string) bool {
		now, _, _ := after.Meant(target)
		return slices.Equal(slices.Sorted(slices.Values(now)), want)
	}
	if fits(target) {
		return target, true
	}
	spelt := strings.Split(target, "/")
	was, is := strings.Split(meant[0], "/"), strings.Split(want[0], "/")
	if to, ok := moved[meant[0]]; ok {
		is = strings.Split(to, "/")
	}
	if len(meant) > 1 || !format.SameName(format.Stem(spelt[len(spelt)-1]), format.Stem(was[len(was)-1])) {
		was, is = was[:len(was)-1], is[:len(is)-1] // the path of a folder
	}
	if last := len(is) - 1; last >= 0 && spelt[len(spelt)-1] == format.Stem(spelt[len(spelt)-1]) {
		was[len(was)-1], is[last] = format.Stem(was[len(was)-1]), format.Stem(is[last])
	}
	if len(spelt) == len(was) && len(was) == len(is) {
		for i := range is {
			if was[i] == is[i] {
				is[i] = spelt[i]
			}
		}
	}
	now := strings.ReplaceAll(strings.Join(is, "/"), " ", "_")
	written := func(target string) bool { return Markable(target) && fits(target) }
	if !written(now) && len(want) == 1 { // a topic's only entry comes to one that has others
		now = want[0]
	}
	return now, written(now)
}

// Markable reports whether a path can be a mark's target.
func Markable(target string) bool {
	holds := func(r rune) bool { return strings.ContainsRune("-_./", r) || unicode.IsLetter(r) || unicode.IsDigit(r) }
	return strings.IndexFunc(target, func(r rune) bool { return !holds(r) }) < 0 && strings.TrimRight(target, "./") == target
}

// A person may have other trees beside a folder's own, such as a private one or a team's. In a snapshot of
// all of them the path of an entry of another tree begins with its name, NAME:domain/topic/file.md, and
// relations are written the same way: @team:auth/jwt.md. A name has two letters or more, since a single
// letter before a colon is a drive.

// Behind returns an entry as it stands behind the name of its tree.
func Behind(name string, e *format.Entry) *format.Entry {
	named := *e
	named.Path = name + ":" + e.Path
	return &named
}
