package curate

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxKeywords is how many names an entry should be found by.
const maxKeywords = 8

// maxStructure is how many definitions the entry of a code file lists.
const maxStructure = 30

// ofFile is the idea of a file, of which only the title is known yet.
func ofFile(s Source, title string) idea {
	return idea{
		title: title, source: s.Path, home: s.Path, from: s.Path, reason: "Drafted from " + code(s.Path) + ".",
		about:   []part{{path: s.Path, share: 1}},
		content: format.Content{RawConcept: &format.RawConcept{Task: prose(title), Files: []string{listed(s.Path)}}},
	}
}

// ofCode is what a code file says of itself: its first comment, and what it defines; ok is false
// where it says nothing.
func ofCode(s Source) (i idea, ok bool) {
	doc := header(s.Text)
	if len(s.Symbols) == 0 && doc == "" {
		return idea{}, false
	}
	said, title := markdown.Sentences(doc), ""
	if len(said) > 0 {
		title = shorten(strings.TrimRight(said[0], ".:"))
	}
	if title == "" && len(s.Symbols) > 0 {
		title = shorten(stem(s.Path) + ": " + strings.Join(s.Symbols[:min(3, len(s.Symbols))], ", "))
	}
	i = ofFile(s, cmp.Or(title, documentTitle(s.Path), shorten(s.Path)))
	i.complete = true
	var n format.Narrative
	if len(said) > 1 || strings.HasSuffix(title, "…") { // what the title cannot say
		i.summary = shortenTo(prose(said[0]), maxSummary)
		n.Highlights = prose(doc)
	}
	for k, name := range s.Symbols {
		if k < maxKeywords {
			i.content.Keywords = append(i.content.Keywords, name)
		}
		if k < maxStructure {
			n.Structure += "- " + code(name) + "\n"
		}
	}
	n.Structure = strings.TrimSuffix(n.Structure, "\n")
	if n.Structure+n.Highlights != "" {
		i.content.Narrative = &n
	}
	return i, true
}

// stem is a file's name without its extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// header is the first comment of a file that stands in no definition and is no licence, without its
// marks, on one line.
func header(text string) string {
	var words []string
	lines, quoted := 0, "" // quoted: the mark that ends a text between marks
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		lines++
		inside := quoted == "" && len(words) == 0 && bare != strings.TrimRight(line, " \t\r")
		if lines > maxHeader || strings.HasPrefix(bare, "#!") || inside {
			continue
		}
		if quoted == "" {
			for _, mark := range [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {"<!--", "-->"}} {
				if rest, ok := strings.CutPrefix(bare, mark[0]); ok {
					quoted, bare = mark[1], rest
					break
				}
			}
		}
		comment := quoted != ""
		if i := strings.Index(bare, quoted); quoted != "" && i >= 0 {
			bare, quoted = bare[:i], ""
		}
		stripped := strings.TrimSpace(strings.TrimLeft(bare, "/*#;-!%"))
		comment = comment || stripped != bare
		switch {
		case comment && stripped != "":
			words = append(words, stripped)
		case !comment && bare == "" || comment:
		default: // code
			if len(words) == 0 {
				continue
			}
		}
		if !comment && len(words) > 0 {
			if text := strings.Join(words, " "); !licence().MatchString(text) {
				return text
			}
			words = nil
		}
	}
	if text := strings.Join(words, " "); !licence().MatchString(text) {
		return text
	}
	return ""
}

// maxHeader is how many lines are searched for a file's comment.
const maxHeader = 200

// licence is a comment that says who may use a file.
var licence = lazyregexp.New(`(?i)\bcopyright\b|SPDX-License-Identifier`)

// ofText is what a text says that is no document with headings: the beginning of it.
func (d *drafting) ofText(s Source) (i idea, note string) {
	first, _ := firstWords(s.Text)
	title := shorten(first)
	if utf8.RuneCountInString(oneLine(first)) > maxTitle {
		title = documentTitle(s.Path)
	}
	i = ofFile(s, cmp.Or(title, shorten(s.Path), "Text"))
	i.document, i.complete = true, true
	text := sized(s.Text)
	if left := len(s.Text) - len(text); left > 0 {
		note = fmt.Sprintf("%d bytes behind the first %d are left out: "+
			"an entry takes no more, and only a model condenses", left, len(text))
	}
	c := converter{drafting: d, source: s.Path}
	lines := strings.Split(strings.TrimLeft(text, "\n"), "\n")
	if len(lines) > 1 && oneLine(lines[0]) == i.title {
		lines = lines[1:]
	}
	body := c.convert(lines)
	i.summary = firstSentence(body)
	if body != "" {
		i.content.Narrative = &format.Narrative{Highlights: body}
	}
	c.collected(&i)
	return i, note
}

// sized is the beginning of a text that an entry takes, whole lines where they are not long.
func sized(text string) string {
	if len(text) <= mostOfEntry {
		return text
	}
	cut := strings.LastIndex(text[:mostOfEntry], "\n")
	if cut < mostOfEntry/2 {
		cut = len(strings.ToValidUTF8(text[:mostOfEntry], ""))
	}
	return text[:cut]
}
