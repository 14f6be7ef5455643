package curate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/tree"
)

// maxStructure is how many definitions the entry of a code file lists.
const maxStructure = 30

// ofCode is what a code file says of itself: its first comment, and what it defines.
func (d *drafting) ofCode(s Source) idea {
	doc := header(s.Text)
	said := sentences(doc)
	title := ""
	if len(said) > 0 {
		title = shorten(strings.TrimRight(said[0], ".:"))
	}
	if title == "" && len(s.Symbols) > 0 {
		title = shorten(stem(s.Path) + ": " + strings.Join(s.Symbols[:min(3, len(s.Symbols))], ", "))
	}
	i := idea{title: cmp.Or(title, documentTitle(s.Path), shorten(s.Path)), source: s.Path, home: s.Path, reason: "Drafted from " + code(s.Path) + "."}
	i.about = []weighted{{s.Path, 1}}
	i.content.RawConcept = &tree.RawConcept{Task: prose(i.title), Files: []string{listed(s.Path)}}
	var n tree.Narrative
	if len(said) == 1 && strings.HasSuffix(title, "…") { // what the title cannot say
		i.summary = shortenTo(prose(said[0]), maxSummary)
	}
	if len(said) > 1 {
		i.summary = shortenTo(prose(said[0]), maxSummary)
		n.Highlights = list(said[1:min(len(said), 1+maxSentences)])
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
	rules := rulesOf(s.Path, s.Text)
	n.Rules = list(slices.DeleteFunc(rules[:min(len(rules), maxRules)], func(r string) bool { return slices.Contains(said, r) && strings.Contains(n.Highlights, prose(r)) }))
	if n.Structure+n.Highlights+n.Rules != "" {
		i.content.Narrative = &n
	}
	return i
}

// stem is a file's name without its extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// maxRules is how many rules an entry takes from comments of code.
const maxRules = 12

// remark is a line of a comment: its marks, and what it says.
var remark = pattern.Of(`^\s*(?://+[!/]?|/\*+|\*+|#+|--+|;+|%+)(?:\s+(.*?))?\s*(?:\*/)?$`)

// rulesOf are the sentences in comments of code that demand something, each once; in Python
// those of texts between three quotes, too.
func rulesOf(p, text string) (rules []string) {
	var block []string
	python, quoted := strings.HasSuffix(p, ".py"), false
	flush := func() {
		demanded, _ := rulesIn(sentences(strings.Join(block, " ")))
		for _, s := range demanded {
			if s = shortenTo(s, maxItem); len(strings.Fields(s)) >= leastRule && !licence(s) && !slices.Contains(rules, s) {
				rules = append(rules, s)
			}
		}
		block = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		said := ""
		if m := remark().FindStringSubmatch(line); m != nil {
			said = m[1]
		}
		if marks := strings.Count(line, `"""`) + strings.Count(line, "'''"); python && (quoted || marks > 0) {
			said = strings.Trim(line, " \t\"'")
			quoted = quoted != (marks%2 == 1)
		}
		if said == "" {
			flush()
			continue
		}
		block = append(block, said)
	}
	flush()
	return rules
}

// leastRule is how many words a sentence needs to be a rule that can be followed.
const leastRule = 4

// header is the first comment of a file that is no licence, without its marks, on one line.
func header(text string) string {
	var words []string
	lines, quoted := 0, "" // quoted: the mark that ends a text between marks
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		lines++
		if lines > maxHeader || strings.HasPrefix(bare, "#!") {
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
			if text := strings.Join(words, " "); !licence(text) {
				return text
			}
			words = nil
		}
	}
	if text := strings.Join(words, " "); !licence(text) {
		return text
	}
	return ""
}

// maxHeader is how many lines are searched for a file's comment.
const maxHeader = 200

var licence = matches(`copyright|licen[cs]e|SPDX|all rights reserved|coding: ?utf|eslint|go:build|generated`)

// ofText is what a text says that is no document with headings: the beginning of it.
func (d *drafting) ofText(s Source) (i idea, note string) {
	first, _ := firstWords(s.Text)
	title := shorten(first)
	if utf8.RuneCountInString(oneLine(first)) > maxTitle {
		title = documentTitle(s.Path)
	}
	i = idea{title: cmp.Or(title, shorten(s.Path), "Text"), source: s.Path, home: s.Path, reason: "Drafted from " + code(s.Path) + "."}
	text := s.Text
	if len(text) > mostOfEntry {
		cut := strings.LastIndex(text[:mostOfEntry], "\n")
		if cut < mostOfEntry/2 {
			cut = len(strings.ToValidUTF8(text[:mostOfEntry], ""))
		}
		note = fmt.Sprintf("%d bytes behind the first %d are left out: an entry takes no more, and only a model condenses", len(text)-cut, cut)
		text = text[:cut]
	}
	c := converter{drafting: d, source: s.Path}
	lines := strings.Split(strings.TrimLeft(text, "\n"), "\n")
	if len(lines) > 1 && oneLine(lines[0]) == i.title {
		lines = lines[1:]
	}
	body := c.convert(lines)
	i.summary = firstSentence(body)
	i.content = tree.Content{RawConcept: &tree.RawConcept{Task: prose(i.title)}, Relations: c.relations}
	if body != "" {
		i.content.Narrative = &tree.Narrative{Highlights: body}
	}
	i.about = []weighted{{s.Path, 1}}
	i.content.RawConcept.Files = []string{listed(s.Path)}
	for _, f := range c.files {
		if f != s.Path && len(i.content.RawConcept.Files) < maxFiles {
			i.content.RawConcept.Files = append(i.content.RawConcept.Files, listed(f))
		}
	}
	return i, note
}
