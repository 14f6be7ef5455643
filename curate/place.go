package curate

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
)

// maxRelated is how many entries a draft relates to by itself.
const maxRelated = 3

// relatedEntries are the entries that speak of the selected file, or the entry
// the selection was made in.
func relatedEntries(sel Selection, t *tree.Snapshot) []string {
	if sel.Entry != "" {
		return []string{sel.Entry}
	}
	var out []string
	for _, e := range t.Entries() {
		if e.Role == tree.RoleEntry && names(e, func(f string) bool { return f == sel.Path }) {
			out = append(out, e.Path)
		}
	}
	return out[:min(len(out), maxRelated)]
}

func names(e *tree.Entry, is func(file string) bool) bool {
	return slices.ContainsFunc(e.Files, func(f tree.FileRef) bool { return is(f.Path) })
}

// folderFor chooses the topic of a draft.
func folderFor(sel Selection, title string, related []string, t *tree.Snapshot) string {
	if len(related) > 0 {
		if dir := path.Dir(related[0]); dir != "." {
			return dir
		}
	}
	dir := path.Dir(sel.Path)
	for _, e := range t.Entries() {
		if e.Role == tree.RoleEntry && dir != "." && names(e, func(f string) bool { return path.Dir(f) == dir }) && path.Dir(e.Path) != "." {
			return path.Dir(e.Path)
		}
	}
	if f := similarTopic(sel, title, t); f != "" {
		return f
	}
	return ownTopic(sel.Path)
}

// similarTopic is the existing topic that shares most words with the title and
// the path; "" if none shares any. Equal topics go by name.
func similarTopic(sel Selection, title string, t *tree.Snapshot) string {
	wanted := map[string]bool{}
	for _, w := range words(title + " " + sel.Path) {
		wanted[w] = true
	}
	best, most := "", 0
	for _, e := range t.Entries() {
		dir := path.Dir(e.Path)
		if e.Role != tree.RoleEntry || !strings.Contains(dir, "/") {
			continue
		}
		shared := 0
		for _, w := range words(dir) {
			if wanted[w] && len(w) > 2 {
				shared++
			}
		}
		if shared > most {
			best, most = dir, shared
		}
	}
	return best
}

// plumbing are the folders that say nothing of what a file is about.
var plumbing = map[string]bool{"src": true, "lib": true, "internal": true, "pkg": true, "cmd": true, "app": true, "packages": true, "source": true}

// ownTopic names a domain and a topic after a path: src/auth/jwt.ts → auth/jwt.
func ownTopic(p string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	var parts []string
	for seg := range strings.SplitSeq(path.Dir(p), "/") {
		if name := tree.Slug(seg); seg != "." && !plumbing[seg] && name != "entry" {
			parts = append(parts, name)
		}
	}
	domain := "project"
	if len(parts) > 0 {
		domain = parts[0]
	}
	topic := tree.Slug(stem)
	if len(parts) > 1 {
		topic = parts[len(parts)-1]
	}
	return domain + "/" + topic
}

// words splits at everything that is no letter or digit, and inside camelCase.
func words(s string) []string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}
