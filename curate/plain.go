package curate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxStructure is how many definitions the entry of a code file lists.
const maxStructure = 30

// ofCode is what a code file says of itself: its first comment, its rules, and what it defines;
// ok is false where it says nothing.
func ofCode(s Source) (i idea, ok bool) {
	doc, rules := header(s.Text), rulesOf(s.Path, s.Text)
	if len(s.Symbols) == 0 && doc == "" && len(rules) == 0 {
		return idea{}, false
	}
	said := sentences(doc)
	title := ""
	if len(said) > 0 {
		title = shorten(strings.TrimRight(said[0], ".:"))
	}
	if title == "" && len(s.Symbols) > 0 {
		title = shorten(stem(s.Path) + ": " + strings.Join(s.Symbols[:min(3, len(s.Symbols))], ", "))
	}
	i = idea{title: cmp.Or(title, documentTitle(s.Path), shorten(s.Path)), source: s.Path, home: s.Path, from: s.Path, reason: "Drafted from " + code(s.Path) + "."}
	i.about = []weighted{{s.Path, 1}}
	i.content.RawConcept = &format.RawConcept{Task: prose(i.title), Files: []string{listed(s.Path)}}
	var n format.Narrative
	if len(said) == 1 && strings.HasSuffix(title, "…") { // what the title cannot say
		i.summary = shortenTo(prose(said[0]), maxSummary)
	}
	if len(said) > 1 {
		i.summary = shortenTo(prose(said[0]), maxSummary)
		n.Highlights = list(slices.DeleteFunc(slices.Clone(said[1:min(len(said), 1+maxSentences)]), func(s string) bool {
			return slices.ContainsFunc(rules, func(r string) bool { return r != s && unnamed(r) == s })
		}))
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
	n.Rules = list(slices.DeleteFunc(rules[:min(len(rules), maxRules)], func(r string) bool {
		return slices.Contains(said, unnamed(r)) && strings.Contains(n.Highlights, prose(unnamed(r)))
	}))
	if n.Structure+n.Highlights+n.Rules != "" {
		i.content.Narrative = &n
	}
	return i, true
}

// stem is a file's name without its extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// maxRules is how many rules an entry takes from comments of code.
const maxRules = 12

// remark is a line of a comment: its marks, and what it says.
var remark = pattern.Of(`^\s*(?://+[!/]?|/\*+|\*+|#+|--+|;+|%+)(?:\s+(.*?))?\s*(?:\*/)?$`)

// commentedOut is a line that only code is: what begins or ends as no sentence does.
var commentedOut = pattern.Of(`^[})\]]+[;,]*$|[{]$|[(=\[].*[;]$|\{\s.*\}\s*;?$|^[\w.\[\]"']+\s*(?:[-+*/|&]|:)?=[^=]|^[\w.]+\(.*\)[;,]?$|^(?:return|throw|raise|defer|await|go)\s.*\w\(.*\)$|^(?:if|while|for|switch)\s*\(.*\)$|` +
	`^(?:var|let|const|val)\s+\w+\s*[:=]|^(?:func|def|class|fn|function)\s+\w+\s*[(:]|^(?:else|elif|except|try)\b.*:$|^(?:import|from|package)\s+["\w./]+(?:\s+import\b.*)?;?$`)

// annotation is a line between a comment and the definition that it is of: a decorator, an
// attribute, a directive of a compiler.
var annotation = pattern.Of(`^\s*(?:@\w|#\[|//\w)`)

// rulesOf are the sentences in comments of code that demand something, each once; in Python
// those of texts between three quotes, too. One of the comment of a definition that it does not
// name has the name in front. What is commented out is no sentence.
func rulesOf(p, text string) (rules []string) {
	var block []string
	var all [][]string // paragraphs of one comment
	python, quoted := strings.HasSuffix(p, ".py"), false
	head := "" // Python's definition whose body begins
	paragraph := func() {
		if len(block) > 0 {
			all = append(all, block)
		}
		block = nil
	}
	flush := func(subject string) {
		paragraph()
		for _, said := range all {
			demanded, _ := rulesIn(sentences(strings.Join(said, " ")))
			for _, s := range demanded {
				if len(strings.Fields(s)) < leastRule || licence(s) {
					continue
				}
				if subject != "" && !hasWord(s, subject) {
					s = code(subject) + ruleOf + s
				}
				if s = shortenTo(s, maxItem); !slices.Contains(rules, s) {
					rules = append(rules, s)
				}
			}
		}
		all = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		said, comment := "", false
		if m := remark().FindStringSubmatch(line); m != nil {
			said, comment = m[1], true
		}
		if marks := strings.Count(line, `"""`) + strings.Count(line, "'''"); python && (quoted || marks > 0) {
			said, comment = strings.Trim(line, " \t\"'"), true
			if quoted = quoted != (marks%2 == 1); !quoted { // it ends here
				if said != "" && !commentedOut().MatchString(said) {
					block = append(block, said)
				}
				flush(head)
				continue
			}
		}
		switch {
		case commentedOut().MatchString(said), comment && said == "":
			paragraph()
		case comment:
			block = append(block, said)
		case annotation().MatchString(line) && len(all)+len(block) > 0:
		default:
			subject := ""
			if m := definition().FindStringSubmatch(line); m != nil {
				subject, head = m[1], m[1]
			} else if bare := strings.TrimSpace(line); bare != "" && python && strings.HasSuffix(bare, ":") && !strings.HasPrefix(bare, ")") {
				head = ""
			}
			flush(subject)
		}
	}
	flush("")
	return rules
}

// ruleOf parts a rule from the name of what it is of.
const ruleOf = ": "

// unnamed is a rule without that name.
func unnamed(rule string) string {
	if name, rest, ok := strings.Cut(rule, "`"+ruleOf); ok && strings.LastIndexByte(name, '`') == 0 {
		return rest
	}
	return rule
}

// hasWord reports whether a sentence has a name as a word of it.
func hasWord(s, name string) bool {
	return slices.Contains(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }), name)
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
		case comment && commentedOut().MatchString(stripped):
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
	i = idea{title: cmp.Or(title, shorten(s.Path), "Text"), source: s.Path, home: s.Path, from: s.Path, reason: "Drafted from " + code(s.Path) + "."}
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
	i.content = format.Content{RawConcept: &format.RawConcept{Task: prose(i.title)}, Relations: c.relations}
	if body != "" {
		i.content.Narrative = &format.Narrative{Highlights: body}
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
