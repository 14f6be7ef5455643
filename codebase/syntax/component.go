package syntax

import (
	"bytes"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var scriptBlock = lazyregexp.New(`(?ims)<script\b[^>]*>(.*?)</script\s*>|\A\s*---\r?\n(.*?)^---`)

var markupComment = lazyregexp.New(`(?s)<!--.*?-->`)

// isComponent reports whether a file contains a script with its markup.
func isComponent(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".vue", ".svelte", ".astro":
		return true
	}
	return false
}

// scriptOf returns the text of a component (Vue, Svelte, Astro) with everything but its scripts replaced by
// blanks. Other texts stay as they are.
func scriptOf(p string, text []byte) []byte {
	if !isComponent(p) {
		return text
	}
	out := bytes.Clone(text)
	overwrite(out, "")
	for _, at := range scriptBlock().FindAllSubmatchIndex(text, -1) {
		for g := 2; g < len(at); g += 2 {
			if at[g] >= 0 {
				copy(out[at[g]:], text[at[g]:at[g+1]])
			}
		}
	}
	return out
}
