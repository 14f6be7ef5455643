package curate

import (
	"path"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Sizes of what is quoted.
const (
	mostOfEntry = 16_000 // bytes: about 4,000 tokens
	maxKeywords = 8      // names that an entry should be found by
	maxHeader   = 200    // lines that are searched for a file's comment
)

// leastWhy is how many letters of prose the comment at a file's head has behind its first sentence, which says what
// the file is: twice what a message takes to say why, since half of them are about how it is used.
const leastWhy = 2 * reasonLetters

// ofModule quotes the comment at the head of a code file; ok is false where it says too little.
func (d *drafting) ofModule(s Source) (i idea, ok bool) {
	doc := plainDoc(s.Text, moduleDoc(s.Text))
	said := markdown.Sentences(firstParagraph(doc))
	if len(said) == 0 || letters(doc)-letters(said[0]) < leastWhy {
		return idea{}, false
	}
	title := strings.TrimRight(plainTitle(said[0]), ".:。")
	if title == "" || shorten(title) != title { // a title is a whole sentence, or a name
		title = moduleName(s.Path)
	}
	k := converter{drafting: d, source: s.Path}
	quoted := k.convert(strings.Split(sized(doc), "\n"))
	i = idea{
		title: title, summary: firstSentence(quoted), source: s.Path, home: s.Path, from: s.Path, complete: true,
		reason: "Drafted from " + code(s.Path) + ".", about: []part{{path: s.Path, share: 1}},
	}
	i.content = format.Content{
		RawConcept: &format.RawConcept{Task: prose(title), Files: []string{listed(s.Path)}},
		Narrative:  &format.Narrative{Highlights: quoted},
	}
	for _, name := range s.Symbols {
		if len(i.content.Keywords) < maxKeywords && strings.Contains(doc, name) {
			i.content.Keywords = append(i.content.Keywords, name)
		}
	}
	k.collected(&i)
	return i, true
}

// moduleName returns the name that people use for a file: its folder's where its own name says nothing.
func moduleName(p string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	folder := path.Base(path.Dir(p))
	switch {
	case folder == ".":
		return stem
	case plumbingStems[strings.ToLower(stem)], stem == folder:
		return shorten(folder)
	}
	return shorten(folder + "/" + stem)
}

// plainTitle is a sentence without the marks of code and emphasis.
func plainTitle(s string) string {
	s = linkRef().ReplaceAllString(s, "")
	return oneLine(strings.NewReplacer("`", "", "**", "", "[", "", "]", "").Replace(strings.TrimLeft(s, "# ")))
}

func firstParagraph(doc string) string {
	first, _, _ := strings.Cut(doc, "\n\n")
	return oneLine(first)
}

// letters counts the prose of a text: what is no list, table or code, without addresses.
func letters(doc string) (n int) {
	for l := range markdown.Lines(doc) {
		s := l.At.Of(doc)
		if l.Fence != markdown.FenceNone || notProse().MatchString(s) {
			continue
		}
		for _, r := range unread().ReplaceAllString(s, "") {
			if unicode.IsLetter(r) {
				n++
			}
		}
	}
	return n
}

// marks are the signs around a comment of several lines.
var marks = [][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {"<!--", "-->"}, {"{-", "-}"}, {"--[[", "]]"}}

// lineMarks begin a comment of one line, the longer first.
var lineMarks = []string{"//!", "///", "//", "#!", "##", "#", "--", ";;;", ";;", ";", "%%", "%"}

// licence is a comment that says who may use a file.
var licence = lazyregexp.New(`(?i)\bcopyright\b|SPDX-License-Identifier|\blicensed under\b`)

// linkRef is where a link of Markdown is defined.
var linkRef = lazyregexp.New(`\]\[[^\[\]]*\]`)

// modeLine matches a line with settings for an editor.
var modeLine = lazyregexp.New(`^\s*-\*-.*-\*-\s*$`)

// docTag is where a comment goes on with what programs read.
var docTag = lazyregexp.New(`^\s*(?:[@\\](?:[a-z]+)\b|:[a-z]+ ?[\w ]*:)`)

// moduleDoc is the comment of a file that stands before all that it defines, without its marks: the first that is no
// licence. Its lines and paragraphs stay.
func moduleDoc(text string) string {
	var block []string
	closing := "" // what ends the comment at hand
	end := func() (doc string, ok bool) {
		doc = strings.Trim(dedented(block), "\n")
		block = nil
		return doc, doc != "" && !licence().MatchString(doc)
	}
	lines := strings.Split(text, "\n")
	for n, line := range lines[:min(len(lines), maxHeader)] {
		bare := strings.TrimSpace(line)
		if n == 0 && strings.HasPrefix(bare, "#!") {
			continue
		}
		if closing != "" {
			rest, found := bare, false
			if at := strings.Index(line, closing); at >= 0 {
				line, found = line[:at], true
				rest = strings.TrimSpace(line)
			}
			if star, ok := strings.CutPrefix(rest, "*"); ok && closing == "*/" && (star == "" || strings.IndexAny(star, " \t") == 0) {
				line = strings.TrimPrefix(star, " ")
			}
			block = append(block, strings.TrimRight(line, " \t\r"))
			if found {
				closing = ""
				if doc, ok := end(); ok {
					return cut(doc)
				}
			}
			continue
		}
		if open, rest := opened(bare); open != "" && bare == strings.TrimRight(line, " \t\r") {
			inner, _, closed := strings.Cut(rest, open)
			block = append(block, strings.TrimLeft(inner, "*! "))
			if !closed {
				closing = open
			} else if doc, ok := end(); ok {
				return cut(doc)
			}
			continue
		}
		if mark := lineMark(line); mark != "" {
			block = append(block, strings.TrimRight(strings.TrimPrefix(line[len(mark):], " "), " \t\r")) // code is indented by more
			continue
		}
		if doc, ok := end(); ok {
			return cut(doc)
		}
		if strings.ContainsAny(bare, "{(=") {
			return ""
		}
	}
	doc, ok := end()
	if !ok {
		return ""
	}
	return cut(doc)
}

// opened returns the end mark of the comment that a line begins, and the text behind its opening mark.
func opened(bare string) (closing, rest string) {
	for _, prefix := range []string{"", "r", "u"} { // of strings
		for _, m := range marks {
			if rest, ok := strings.CutPrefix(bare, prefix+m[0]); ok && (prefix == "" || m[0] == m[1]) {
				return m[1], rest
			}
		}
	}
	return "", ""
}

func lineMark(line string) string {
	for _, m := range lineMarks {
		if rest, ok := strings.CutPrefix(line, m); ok && (rest == "" || strings.IndexAny(rest[:1], " \t\r/#-;%") == 0) {
			return m
		}
	}
	return ""
}

// dedented are lines without the indent that all share.
func dedented(lines []string) string {
	least := -1
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		indent := len(l) - len(strings.TrimLeft(l, " \t"))
		if (i > 0 || len(lines) == 1 || indent > 0) && (least < 0 || indent < least) {
			least = indent
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		if indent := len(l) - len(strings.TrimLeft(l, " \t")); least > 0 {
			l = l[min(least, indent):]
		}
		out[i] = strings.TrimRight(l, " \t\r")
	}
	return strings.Join(out, "\n")
}

// cut is a comment up to what programs read of it.
func cut(doc string) string {
	lines := strings.Split(doc, "\n")
	if modeLine().MatchString(lines[0]) {
		lines = lines[1:]
	}
	for i, l := range lines {
		if docTag().MatchString(l) {
			lines = lines[:i]
			break
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// sized is the beginning of a text that an entry takes, whole lines where they are not long.
func sized(text string) string {
	if len(text) <= mostOfEntry {
		return text
	}
	at := strings.LastIndex(text[:mostOfEntry], "\n")
	if at < mostOfEntry/2 {
		at = len(strings.ToValidUTF8(text[:mostOfEntry], ""))
	}
	return text[:at]
}
