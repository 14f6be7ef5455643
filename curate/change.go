package curate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ChangesOf converts git's difference and adds the definitions that it touches: those in changed lines, and
// by the map of the code those around changed lines that still exist.
func ChangesOf(name string, g *git.Difference, code *codebase.RepoMap) Changes {
	c := Changes{Name: name, Commit: g.Commit, Message: g.Message}
	var left []string
	for _, f := range g.Files {
		file := FileChange{Path: f.Path, From: f.From, Status: f.Status, Binary: f.Left == "binary", Left: f.Left}
		for _, h := range f.Added {
			file.Added = append(file.Added, Hunk{h.Line, h.Text})
		}
		for _, h := range f.Removed {
			file.Removed = append(file.Removed, Hunk{h.Line, h.Text})
		}
		file.Symbols = touched(file, code)
		c.Files = append(c.Files, file)
		if f.Left != "" && !file.Binary {
			left = append(left, f.Path+" ("+f.Left+")")
		}
	}
	if n := g.Total - len(g.Files); n > 0 {
		left = append(left, words.Counted(n, "more file", "more files"))
	}
	if len(left) > maxLeft {
		left = append(left[:maxLeft], words.Counted(len(left)-maxLeft, "other", "others"))
	}
	if len(left) > 0 {
		c.Note = "not read: " + strings.Join(left, ", ")
	}
	return c
}

// maxLeft is the number of unread files that a note names.
const maxLeft = 5

// definition is a line that defines a name, in the languages that write it so.
var definition = lazyregexp.New(`^\s*(?:(?:export|public|private|protected|internal|static|async|pub(?:\([^)]*\))?|` +
	`abstract|final|default|declare|override|open|sealed|data|unsafe)\s+)*` +
	`(?:func|def|class|type|struct|interface|enum|trait|fn|function|module|object|protocol)\s+` +
	`(?:\([^)]*\)\s*)?([\pL_][\pL\pN_]*)`)

// touched returns the names of the definitions that a change is about: those in added lines, those around
// other changed lines as far as the map has them, and those that were removed.
func touched(f FileChange, code *codebase.RepoMap) []string {
	var names []string
	add := func(name string) {
		if utf8.RuneCountInString(name) >= minSymbol && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	defined := func(hunks []Hunk) {
		for _, h := range hunks {
			for line := range strings.SplitSeq(h.Text, "\n") {
				if m := definition().FindStringSubmatch(line); m != nil {
					add(m[1])
				}
			}
		}
	}
	if !codebase.IsAuthored(f.Path) {
		return nil
	}
	defined(f.Added)
	for _, name := range around(f, code) {
		add(name)
	}
	defined(f.Removed)
	return names[:min(len(names), maxTouched)]
}

const (
	minSymbol  = 3  // letters; shorter names are words
	maxTouched = 40 // definitions of one file
)

// around are the innermost definitions that hold an added line, in order of place, as far as
// the file still has it there.
func around(f FileChange, code *codebase.RepoMap) (names []string) {
	if code == nil {
		return nil
	}
	chunk, ok := code.Chunk(f.Path)
	if !ok || len(f.Added) == 0 {
		return nil
	}
	text, err := code.Read(f.Path)
	if err != nil || codebase.HashOf(text) != chunk.Hash {
		return nil
	}
	starts := []int{0} // offset of each line
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	symbols := chunk.Symbols()
	for _, h := range f.Added {
		last := h.Line + strings.Count(h.Text, "\n")
		if h.Line < 1 || last > len(starts) {
			continue
		}
		end := len(text)
		if last < len(starts) {
			end = starts[last]
		}
		is := strings.ReplaceAll(text[starts[h.Line-1]:end], "\r\n", "\n")
		if strings.TrimSuffix(is, "\n") != strings.TrimSuffix(h.Text, "\n") {
			continue // the file was changed since
		}
		for n := range last - h.Line + 1 {
			at, best, size := starts[h.Line-1+n], "", 0
			for _, s := range symbols {
				long := s.Range.End - s.Range.Start
				if s.Range.Start <= at && at < s.Range.End && (best == "" || long < size) {
					best, size = s.Name, long
				}
			}
			if best != "" && !slices.Contains(names, best) {
				names = append(names, best)
			}
		}
	}
	return names
}

// A message counts as giving a reason if it has a paragraph: by git's own rules for messages the subject
// states the change and the body its reason. Whether the paragraph really gives a reason cannot be told
// without reading it. The paragraph has to be longer than a line as git's editors wrap it; a shorter one is a
// second subject, a reference or a signature.
const reasonLetters = 72

// Lines that are not prose by their form: items of lists, headings, quotes, tables, HTML, commands, and code
// that is set off.
var notProse = lazyregexp.New(`^(?:\s*(?:[-*+•>#|<$]|\d{1,3}[.)]\s)| {4}|\t)`)

// unread matches the parts of a reason that do not count: addresses, numbers of issues, hashes.
var unread = lazyregexp.New(`\S*(?:://|#\d)\S*|\b[0-9a-f]{7,40}\b`)

// trailer is a line that git reads with interpret-trailers.
var trailer = lazyregexp.New(`^(?:[A-Za-z0-9][A-Za-z0-9-]*\s*:\s+\S|\(cherry picked from commit )`)

// reasonIn returns the body of a message without trailers, "" if it has no paragraph long enough to give a
// reason.
func reasonIn(message string) string {
	_, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	body = withoutTrailers(strings.Trim(body, "\n"))
	paragraph, prose := 0, true
	for l := range markdown.Lines(body) {
		s := l.At.Of(body)
		if l.Fence != markdown.FenceNone || strings.TrimSpace(s) == "" {
			paragraph, prose = 0, true
			continue
		}
		if prose = prose && !notProse().MatchString(s); !prose {
			continue
		}
		for _, r := range unread().ReplaceAllString(s, "") {
			if unicode.IsLetter(r) || r == ' ' {
				paragraph++
			}
		}
		if paragraph > reasonLetters {
			return body
		}
	}
	return ""
}

// signature is a line that names a person who took part; squashed messages have some in their middle, and rules between them.
var signature = lazyregexp.New(`^(?i:[a-z-]+-by: .*|-{3,}|\* \w+(?:\([^)]*\))?: .*)$`)

// withoutTrailers returns a body without the trailers at its end, and without the signatures that a squash
// keeps of its commits.
func withoutTrailers(body string) string {
	lines := slices.DeleteFunc(strings.Split(body, "\n"), func(s string) bool { return signature().MatchString(strings.TrimRight(s, " \r")) })
	for len(lines) > 0 && trailer().MatchString(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// maxFiles is how many files an entry names.
const maxFiles = 12

// kindOf and numberOf are the parts of a subject that say nothing of its matter: the type and scope of Conventional
// Commits, and the number of the pull request.
var (
	kindOf   = lazyregexp.New(`^[a-z]+(?:\([^)]*\))?!?:\s+`)
	numberOf = lazyregexp.New(`\s*\(#\d+\)\.?$`)
)

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// ofChange quotes the message of a commit that gives a reason, with the code files that the commit changed.
func (d *drafting) ofChange(c *Changes) (idea, bool) {
	files := slices.DeleteFunc(slices.Clone(c.Files), func(f FileChange) bool {
		return f.Status == 'D' || !codebase.IsAuthored(f.Path) || !d.exists(f.Path)
	})
	body := reasonIn(c.Message)
	if body == "" || c.Commit == "" || len(files) == 0 {
		return idea{}, false
	}
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	subject = numberOf().ReplaceAllString(kindOf().ReplaceAllString(subject, ""), "")
	if word, _, _ := strings.Cut(subject, " "); word != "" && !strings.ContainsFunc(word, notLetter) {
		subject = strings.ToUpper(subject[:1]) + subject[1:]
	}
	raw := format.RawConcept{Task: prose(shorten(subject))}
	most := slices.MaxFunc(files, func(a, b FileChange) int { return cmp.Compare(a.weight(), b.weight()) })
	i := idea{title: shorten(subject), home: most.Path, from: c.Name, reason: "Drafted from " + c.Name + ".", change: true,
		commit: c.Name}
	for _, f := range files {
		i.about = append(i.about, part{f.Path, f.From, f.Symbols, 1 / float64(len(files))})
		if len(raw.Files) < maxFiles {
			raw.Files = append(raw.Files, listed(f.Path))
		}
	}
	k := converter{drafting: d}
	quoted := k.convert(strings.Split(sized(body), "\n"))
	i.summary = firstSentence(quoted)
	i.content = format.Content{RawConcept: raw, Relations: k.relations,
		Narrative: format.Narrative{Highlights: quoted + "\n\nThis is from the message of " + c.Name + "."}}
	return i, true
}

// mostOfEntry is the most that an entry quotes, in bytes: about 4,000 tokens.
const mostOfEntry = 16_000

// sized is the beginning of a text that fits an entry; it ends at a line's end unless the lines are long.
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

// weight is the number of bytes that a change adds to a file; a test counts less, since it repeats the tested
// code.
func (f FileChange) weight() (bytes int) {
	if codebase.TypeOf(f.Path) == codebase.Test {
		return -1
	}
	for _, h := range f.Added {
		bytes += len(h.Text)
	}
	return bytes
}

// exists reports whether a file exists now, as far as the map of the code tells.
func (d *drafting) exists(p string) bool {
	return d.Code == nil || len(d.Code.Chunks()) == 0 || d.Code.Exists(p)
}

// abbreviated is a hash as people write it: the first twelve digits.
func abbreviated(hash string) string { return hash[:min(len(hash), 12)] }
