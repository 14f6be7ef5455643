package format

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// The frontmatter keys of an entry that was imported. They stand together at the top of its frontmatter, one a line,
// so that the author's file is the entry without these lines, byte for byte.
const (
	ImportedFromKey  = "imported_from"
	ImportedRootKey  = "imported_root"
	ImportedHashKey  = "imported_hash"
	ImportedLinksKey = "imported_links"
	importedPrefix   = "imported_"
)

// linkSign stands between what a link of an imported entry says and the path that it leads to.
const linkSign = " -> "

// Imported is where an entry's text comes from.
type Imported struct {
	From string // path of the file in Root, with #anchor where it is a section
	Root string // the folder, as a path of the project; of one outside the project its name alone
	Hash string // the beginning of the hash of the file or section, as it was
	// Links are where links lead that the tree would not understand: what they say, and a tree path.
	Links map[string]string
}

// SourceHash is the beginning of a text's hash, by which it is known whether the source of an import changed.
func SourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Source is the file that the text comes from, as a path of the project where it lies in it, and the anchor of the section.
func (im Imported) Source() (file, anchor string) {
	file, anchor, _ = strings.Cut(im.From, "#")
	return path.Join(im.Root, file), anchor
}

// Imported says where the entry's text comes from, if it was imported.
func (e *Entry) Imported() (im Imported, ok bool) {
	from, ok := e.Field(ImportedFromKey)
	if !ok || from.Value() == "" {
		return im, false
	}
	root, _ := e.Field(ImportedRootKey)
	hash, _ := e.Field(ImportedHashKey)
	im = Imported{From: from.Value(), Root: root.Value(), Hash: hash.Value()}
	if links, ok := e.Field(ImportedLinksKey); ok {
		im.Links = make(map[string]string, len(links.Items))
		for _, item := range links.Items {
			if i := strings.LastIndex(item.Value, linkSign); i > 0 {
				im.Links[item.Value[:i]] = item.Value[i+len(linkSign):]
			}
		}
	}
	return im, true
}

// Leads is the tree path that a link of an imported entry leads to by its own word, "" where it says nothing of it.
func (e *Entry) Leads(raw string) string {
	links, ok := e.Field(ImportedLinksKey)
	if !ok {
		return ""
	}
	for _, item := range links.Items {
		if to, ok := strings.CutPrefix(item.Value, raw+linkSign); ok {
			return to
		}
	}
	return ""
}

// Into is a text as an entry that says where it comes from. The keys go into the author's frontmatter where that
// reads without an error, and else into one of their own in front of everything, which makes the author's, broken or
// empty, a part of the text.
func (im Imported) Into(p, text string) (string, error) {
	lines, eol := im.lines(), eolOf(text)
	block := strings.Join(lines, eol) + eol
	mark := ""
	if strings.HasPrefix(text, markdown.ByteOrderMark) {
		mark = markdown.ByteOrderMark
	}
	own := func(block string) string { return mark + "---" + eol + block + "---" + eol + text[len(mark):] }
	if fm, _, ok, closed := splitFrontmatter(text); ok && closed {
		e := Parse(p, text)
		taken := slices.ContainsFunc(e.Fields, func(f Field) bool { return strings.HasPrefix(f.Key, importedPrefix) })
		if made := text[:fm.Start] + block + text[fm.Start:]; len(e.Fields) > 0 && !taken && im.readable(p, text, made) {
			return made, nil
		}
	}
	if made := own(block); im.readable(p, text, made) {
		return made, nil
	}
	return "", fmt.Errorf("%s: the text cannot be an entry", im.From)
}

// lines are the keys as they are written.
func (im Imported) lines() []string {
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	out := []string{ImportedFromKey + ": " + quoted(im.From)}
	if im.Root != "" {
		out = append(out, ImportedRootKey+": "+quoted(im.Root))
	}
	if im.Hash != "" {
		out = append(out, ImportedHashKey+": "+quoted(im.Hash))
	}
	var links []string
	for raw, to := range im.Links {
		links = append(links, quoted(raw+linkSign+to))
	}
	if slices.Sort(links); len(links) > 0 {
		out = append(out, ImportedLinksKey+": ["+strings.Join(links, ", ")+"]")
	}
	return out
}

// readable reports whether a text reads as the entry that was imported, and gives the author's text back.
func (im Imported) readable(p, text, made string) bool {
	e := Parse(p, made)
	got, ok := e.Imported()
	original, _ := e.Original()
	return ok && got.From == im.From && len(got.Links) == len(im.Links) && original == text && utf8.ValidString(made) &&
		!slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Code == CodeFrontmatter })
}

// Original is the author's text of an imported entry: all but the lines that an import added.
func (e *Entry) Original() (text string, ok bool) {
	if _, ok := e.Field(ImportedFromKey); !ok {
		return "", false
	}
	fm, body, _, closed := splitFrontmatter(e.Text)
	if !closed {
		return "", false
	}
	end := fm.Start
	for end < fm.End {
		line, next := markdown.CutLine(e.Text, end)
		if !strings.HasPrefix(line, importedPrefix) {
			break
		}
		end = next
	}
	if end == fm.End { // the author had none
		start := 0
		if strings.HasPrefix(e.Text, markdown.ByteOrderMark) {
			start = len(markdown.ByteOrderMark)
		}
		return e.Text[:start] + e.Text[body.Start:], true
	}
	return e.Text[:fm.Start] + e.Text[end:], true
}
