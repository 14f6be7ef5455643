package sanitize

import (
	"html"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Place is a place in Markdown with an effect beyond its text.
type Place struct {
	Start, End int
	What       string // for people: "a link that runs something (command:)"
	edits      []markdown.Edit
}

// put is the edit that puts a text in the place of some bytes.
func put(start, end int, text string) markdown.Edit {
	return markdown.Edit{At: markdown.Span{Start: start, End: end}, New: text}
}

// Disarm returns Markdown without the places that [Unsafe] finds. Pictures from elsewhere become links. Links
// that run something, and HTML tags, become plain text. Nothing else changes.
func Disarm(text string) string {
	for range maxRounds {
		var edits []markdown.Edit
		for _, p := range Unsafe(text) {
			edits = append(edits, p.edits...)
		}
		if len(edits) == 0 {
			break
		}
		text = markdown.ApplyEdits(text, edits)
	}
	return text
}

// maxRounds bounds how often the rest is checked again: when a tag becomes text, a link behind it may become
// active.
const maxRounds = 8

// Limits on reading, in bytes: of a destination, whose beginning is enough, and of a tag. A longer tag with
// attributes counts as unsafe.
const (
	maxDestination = 512
	maxTag         = 1 << 10
)

// Unsafe lists, by place, what a renderer of a Markdown text may run or fetch:
//
//   - links, autolinks and link definitions whose scheme is none of http, https and mailto
//     (command:, vscode:, javascript:, data:, file: and whatever else has a handler);
//   - pictures that are not in the folder, inline or by reference;
//   - HTML tags that load or run something, or link to such a scheme.
func Unsafe(text string) []Place {
	if !strings.Contains(text, "](") && !strings.Contains(text, "]:") && strings.IndexByte(text, '<') < 0 {
		return nil
	}
	s := &scan{seen: masked(text)}
	s.run()
	if s.remote { // a definition that some picture may mean
		for _, at := range s.pictures {
			s.places = append(s.places, s.picture(at[0], at[1]))
		}
	}
	slices.SortFunc(s.places, func(a, b Place) int { return a.Start - b.Start })
	return s.places
}

// scan is one pass over a text.
type scan struct {
	seen     string // the text, code blanked
	open     []int  // brackets that are not closed
	places   []Place
	pictures [][2]int // with no destination of their own
	remote   bool     // a definition leads to an address
}

func (s *scan) run() {
	blank := true // the line so far
	for i := 0; i < len(s.seen); i++ {
		switch s.seen[i] {
		case '\n':
			if blank {
				s.open = s.open[:0] // no link spans paragraphs
			}
			blank = true
			continue
		case ' ', '\t', '\r':
			continue
		case '\\':
			if i+1 < len(s.seen) && s.seen[i+1] != '\n' {
				i++
			}
		case '[':
			s.open = append(s.open, i)
		case ']':
			if n := len(s.open); n > 0 {
				s.closed(s.open[n-1], i)
				s.open = s.open[:n-1]
			}
		case '<':
			s.tag(i)
		}
		blank = false
	}
}

// closed looks at brackets, and at what follows them.
func (s *scan) closed(open, end int) {
	picture := open > 0 && s.seen[open-1] == '!' && !escaped(s.seen, open-1)
	rest := s.seen[end+1:]
	switch {
	case strings.HasPrefix(rest, "("):
		to, n := destination(rest[1:])
		if scheme := unsafeScheme(to); scheme != "" {
			p := Place{open, end + 2 + n, "a link that runs or opens something (" + scheme + ":)",
				[]markdown.Edit{put(end+1, end+1, " ")}}
			if picture {
				p.edits = append(p.edits, s.picture(open, p.End).edits...)
			}
			s.places = append(s.places, p)
		} else if picture && remote(to) {
			s.places = append(s.places, s.picture(open, end+2+n))
		}
		return
	case strings.HasPrefix(rest, ":") && lineStart(s.seen, open):
		to, n := destination(rest[1:])
		if scheme := unsafeScheme(to); scheme != "" {
			s.places = append(s.places, Place{open, end + 2 + n, "a link that runs or opens something (" + scheme + ":)",
				[]markdown.Edit{put(open, open, `\`)}})
		}
		s.remote = s.remote || remote(to)
	}
	if picture {
		s.pictures = append(s.pictures, [2]int{open, end + 1})
	}
}

// picture is the place of a picture from elsewhere.
func (s *scan) picture(open, end int) Place {
	start := open
	for start > 0 && s.seen[start-1] == '!' {
		start--
	}
	if escaped(s.seen, start) {
		start++
	}
	return Place{start, end, "a remote picture", []markdown.Edit{put(start, open, "")}}
}

// escaped reports whether an odd number of backslashes stands before s[i].
func escaped(s string, i int) bool {
	n := 0
	for n < i && s[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// lineStart reports whether nothing but marks of lists and quotations stands before s[i] on
// its line.
func lineStart(s string, i int) bool {
	for i > 0 && strings.IndexByte(" \t>*+-.)0123456789", s[i-1]) >= 0 {
		i--
	}
	return i == 0 || s[i-1] == '\n'
}

// destination reads the destination of a link, and tells how many bytes it takes.
func destination(s string) (to string, n int) {
	s = s[:min(len(s), maxDestination)]
	from := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	rest := s[from:]
	if strings.HasPrefix(rest, "<") {
		if end := strings.IndexAny(rest, ">\n"); end > 0 {
			return rest[1:end], from + end + 1
		}
	}
	end := 0
	for end < len(rest) && !isSpace(rest[end]) && rest[end] != ')' {
		end++
	}
	return rest[:end], from + end
}

// head returns the part of a destination that decides its scheme, and two bytes more: up to the first byte
// that cannot belong to a scheme, an escape, an entity or a dropped character.
func head(to string) string {
	for i := range len(to) {
		c := to[i]
		if c > ' ' && c < 0x7f && strings.IndexByte("+-.,&#;\\:", c) < 0 && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(c >= '0' && c <= '9') {
			return to[:min(len(to), i+2)]
		}
	}
	return to
}

// address is a destination as a renderer understands it: without escapes, entities, and what
// browsers drop from addresses.
func address(to string) string {
	if strings.IndexByte(to, '\\') >= 0 {
		to = escapes().ReplaceAllString(to, "$1")
	}
	to = html.UnescapeString(to)
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, Visible(to)))
}

var (
	escapes = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")
	scheme  = lazyregexp.New(`^([a-z][a-z0-9+-]+):(.)`)
	digits  = lazyregexp.New(`^[a-z][a-z0-9+-]*:[0-9:,-]+$`) // a place: Makefile:12
	// harmful are the schemes that count also where prose could stand, as in <key:value>.
	harmful = lazyregexp.New(
		`^(command|vscode[a-z-]*|vscodium|code-oss|cursor|windsurf|jetbrains|idea|javascript|vbscript|data|file|blob|ms-[a-z-]+` +
			`|search-ms|shell|view-source):`)
)

// Opens reports whether a destination has one of the schemes by which browsers and editors run or open something.
func Opens(to string) bool { return harmful().MatchString(address(head(to))) }

// unsafeScheme is the scheme of a destination that must not be a link, "" for others.
func unsafeScheme(to string) string {
	if strings.IndexByte(to, ':') < 0 && strings.IndexByte(to, '&') < 0 {
		return ""
	}
	to = address(head(to))
	m := scheme().FindStringSubmatch(to)
	if m == nil || m[1] == "http" || m[1] == "https" || m[1] == "mailto" || m[2] == ":" || digits().MatchString(to) {
		return ""
	}
	return m[1]
}

// remote reports whether a picture's source is elsewhere than in the folder.
func remote(to string) bool {
	if strings.HasPrefix(to, `\\`) { // a share, to those who read no escapes
		return true
	}
	to = strings.ReplaceAll(address(head(to)), `\`, "/")
	return strings.HasPrefix(to, "//") || strings.Contains(to, "://") || strings.HasPrefix(to, "http:") || strings.HasPrefix(to, "https:")
}

// loads are the tags that do something by being there; those marked so are often types in
// prose, List<Object>, when they have no attributes.
var loads = map[string]bool{
	"img": true, "script": true, "iframe": true, "embed": true, "svg": true,
	"image": false, "object": false, "link": false, "form": false, "input": false, "button": false, "video": false, "audio": false,
	"source": false, "picture": false, "track": false, "frame": false, "base": false, "meta": false, "style": false,
}

// needs are the attributes without which an element loads nothing; of that name, components of MDX have others: <Link to="/x">.
var needs = map[string][]string{"link": {"href", "imagesrcset"}, "frame": {"src"}, "track": {"src"}, "source": {"src", "srcset"}}

// tag looks at what may be an HTML tag or an autolink.
func (s *scan) tag(at int) {
	rest := s.seen[at+1 : min(len(s.seen), at+maxTag)]
	n := 0
	for n < len(rest) && (rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z' || n > 0 && (rest[n] == '-' || rest[n] >= '0' && rest[n] <= '9')) {
		n++
	}
	if n == 0 {
		return
	}
	what, end := "", n
	if n < len(rest) && rest[n] == ':' {
		if m := harmful().FindStringSubmatch(strings.ToLower(rest[:n+1])); m != nil {
			what = "a link that runs or opens something (" + m[1] + ":)"
			end += max(0, strings.IndexByte(rest[n:], '>')+1)
		}
	} else {
		what, end = loading(strings.ToLower(rest[:n]), rest[n:])
		end += n
	}
	if what != "" {
		s.places = append(s.places, Place{at, at + 1 + end, what, []markdown.Edit{put(at, at+1, "&lt;")}})
	}
}

// loading returns the resource that a tag of that name loads or runs, "" if none, and the end of the tag in
// rest, the text after the name. It reads attributes as browsers do.
func loading(name, rest string) (what string, end int) {
	if rest != "" && strings.IndexByte(" \t\r\n/>", rest[0]) < 0 {
		return "", 0
	}
	always, known := loads[name]
	i, assigned, attributes := 0, strings.IndexByte(rest, '=') >= 0, 0
	for strings.IndexByte(rest[i:], '>') >= 0 {
		for i < len(rest) && (isSpace(rest[i]) || rest[i] == '/') {
			i++
		}
		if i == len(rest) {
			break
		}
		if rest[i] == '>' {
			if what == "" && known && (always || attributes > 0) {
				what = "HTML that loads or runs something (<" + name + ">)"
			}
			return what, i + 1
		}
		from := i
		for i++; i < len(rest) && !isSpace(rest[i]) && rest[i] != '/' && rest[i] != '>' && rest[i] != '='; i++ {
		}
		key, value := rest[from:i], ""
		if of, some := needs[name]; !some || slices.Contains(of, strings.ToLower(key)) {
			attributes++
		}
		for i < len(rest) && isSpace(rest[i]) {
			i++
		}
		if i < len(rest) && rest[i] == '=' {
			for i++; i < len(rest) && isSpace(rest[i]); i++ {
			}
			switch {
			case i == len(rest):
			case rest[i] == '"' || rest[i] == '\'':
				n := strings.IndexByte(rest[i+1:], rest[i])
				if n < 0 {
					n = len(rest) - i - 2
				}
				value = rest[i+1 : i+1+max(0, n)]
				i = min(len(rest), i+n+2)
			default:
				from := i
				for i < len(rest) && !isSpace(rest[i]) && rest[i] != '>' {
					i++
				}
				value = rest[from:i]
			}
			if what == "" {
				what = acting(strings.ToLower(key), value)
			}
		}
	}
	if what == "" && (known && always || assigned) { // it has no end as far as is looked
		what = "HTML that may load or run something"
	}
	return what, len(rest)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// acting returns the resource that an attribute loads or runs, "" if none.
func acting(key, value string) string {
	switch key {
	case "src", "poster", "data", "background", "xlink:href", "href", "action", "formaction":
		if scheme := unsafeScheme(value); scheme != "" {
			return "a link that runs or opens something (" + scheme + ":)"
		}
		if key != "href" && key != "action" && key != "formaction" && remote(value) {
			return "HTML that loads or runs something (" + key + ")"
		}
	case "srcset":
		return "HTML that loads or runs something (srcset)"
	case "style":
		if css := address(value); strings.Contains(css, "url(") || strings.IndexByte(css, '\\') >= 0 {
			return "HTML that loads or runs something (style)"
		}
	default:
		if strings.HasPrefix(key, "on") {
			return "HTML that loads or runs something (" + key + ")"
		}
	}
	return ""
}

var (
	htmlLine = lazyregexp.New(`^[ \t>*+\-0-9.)]*<[A-Za-z/!?]`)
	// longBlock begins HTML that a blank line does not end.
	longBlock = lazyregexp.New(`(?i)^[ \t>*+\-0-9.)]*<(!|\?|pre|script|style|textarea)`)
)

// masked is a text with the parts blanked that every reader takes for code.
func masked(text string) string {
	if strings.IndexByte(text, '`') < 0 && !strings.Contains(text, "~~~") {
		return text
	}
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	fence, markup, lost, unsure := "", false, false, false // unsure: a backtick of the paragraph may pair with a later one
	comment := false                                       // in a comment that began at the margin
	inset := ""                                            // a fence line that is not at the margin, and what closes it is not seen yet
	for pos, next := 0, 0; pos < len(text); pos = next {
		var line string
		line, next = markdown.CutLine(text, pos)
		line = strings.TrimRight(line, "\r")
		if strings.IndexByte(line, '\r') >= 0 { // ends a line for some readers, and a fence with it
			fence, lost = "", true
		}
		switch opens := markdown.FenceRun(line); {
		case comment:
			comment = !strings.Contains(line, commentEnd)
			lost = lost || opens != "" || !comment && !endsWithComment(line) // a fence to who knows no comments; more than a comment
		case fence != "" && markdown.Closes(line, fence):
			fence = ""
		case fence != "":
			blank(pos, next)
		case strings.TrimLeft(line, " \t") == "":
			markup, unsure = false, false
		case inset != "" && opens != "" && line[0] == opens[0]: // closes it, or opens one behind a list: who knows
			lost = true
		case !markup && !lost && opens != "" && line[0] == opens[0]: // from the margin
			fence, unsure = opens, false
			blank(pos, next)
		default:
			inset = insetFence(inset, opens, line)
			rest, begins := strings.CutPrefix(line, commentStart)
			comment = begins && !strings.Contains(rest, commentEnd)
			whole := begins && strings.Contains(rest, commentEnd) && endsWithComment(line)
			lost = lost || !comment && !whole && longBlock().MatchString(line)
			markup = markup || !whole && htmlLine().MatchString(line)
			if !markup && !lost && !unsure {
				unsure = spans(line, func(at markdown.Span) { blank(pos+at.Start, pos+at.End) })
			}
		}
	}
	return string(out)
}

// The signs of a comment.
const (
	commentStart = "<!--"
	commentEnd   = "-->"
)

// endsWithComment reports whether a line ends with the end of its only comment.
func endsWithComment(line string) bool {
	before, after, ended := strings.Cut(line, commentEnd)
	return ended && strings.TrimSpace(after) == "" && strings.LastIndex(before, commentStart) <= 0
}

// insetFence follows the fences that are not at the margin: within lists, and by up to three
// spaces. It returns the line that is open behind this one, "" if none is.
func insetFence(open, run, line string) string {
	switch {
	case run == "":
		return open
	case open == "":
		return line
	case markdown.Closes(line, markdown.FenceRun(open)) && indent(line) == indent(open):
		return ""
	}
	return open
}

// indent is how many spaces a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// spans tells of the code spans of a line, up to where a reader could see others; unsure is
// true then, and where a run of backticks is left over that a later line could close. A span
// with a bar in it may be two cells of a table.
func spans(line string, code func(markdown.Span)) (unsure bool) {
	last := 0
	for _, c := range markdown.CodeSpans(line) {
		if ambiguous(line, last, c.At.Start) || escaped(line, c.At.Start) ||
			strings.IndexByte(c.Text.Of(line), '|') >= 0 {
			return true
		}
		code(c.At)
		last = c.At.End
	}
	return ambiguous(line, last, len(line))
}

// ambiguous reports whether a part of a line holds a backtick, or what may begin a tag that has one in it.
func ambiguous(line string, from, to int) bool {
	for i := from; i < to; i++ {
		switch {
		case line[i] == '`', line[i] == '<' && i+1 < len(line) && strings.IndexByte(" \t=-0123456789", line[i+1]) < 0:
			return true
		case line[i] == '\\' && i+1 < to && line[i+1] != '`':
			i++
		}
	}
	return false
}
