package documents

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

var (
	// reference finds the targets of links in reStructuredText and AsciiDoc; page finds those of the first without the file's
	// ending.
	reference = lazyregexp.New("<([^\\s<>`]*[^\\s<>`_])>`_|^\\.\\. _[^:]+:\\s*(\\S*[^\\s_])(?:\\s|$)|" +
		":download:`(?:[^`<]*<)?([^`<>]+)>?`|^\\s*\\.\\. (?:\\|[^|]+\\| +)?(?:image|figure):: *(\\S+)|" +
		"\\b(?:xref:([^\\s\\[\\]{}]*\\.[^\\s\\[\\]{}]+)|link:([^\\s\\[\\]{}:]+))\\[|<<([^<>,#]+(?:\\.adoc|\\.asciidoc|#[^<>,]*))[,>]")
	page = lazyregexp.New(":doc:`(?:[^`<]*<)?([^`<>]+)>?`")
	// media are the pictures, films and sounds of AsciiDoc.
	media = lazyregexp.New(`\b(?:image|video|audio)::?([^\s\[\]{}:][^\[\]{}:]*)\[`)
	// imported is what a page of MDX imports, also in a statement over several lines.
	imported = lazyregexp.New(`^(?:import\s+|(?:import|export|\})\s[^"']*\bfrom\s+)["'](\.{0,2}/[^"']+)["']`)
	// mentioned are files that a rule brings in: from its own folder behind an @, and from the top behind #file:.
	mentioned = lazyregexp.New(`(?:^|[\s(])@((?:[\pL\pN_.\-]+/)*[\pL\pN_.\-]*[\pL\pN_\-]\.\w+)`)
	attached  = lazyregexp.New(`(?:^|[\s(])#file:((?:[\pL\pN_.\-]+/)*[\pL\pN_.\-]*[\pL\pN_\-]\.\w+)`)
	// A role may go on in the next line, and a table of contents has a page on each of its lines.
	openPage   = lazyregexp.New(":doc:`[^`<>]*$")
	restOfPage = lazyregexp.New("^[^`<>]*<([^`<>]+)>`")
	content    = lazyregexp.New(`^\s+(?:[^:\s][^<>]*<([^\s<>*]+)>|([^:\s<>*][^\s<>*]*))\s*$`)
	// commanded are words of a code block that can be files: addresses, and paths with a folder. Where a command is run that
	// climbs is not known: what it climbs to is looked for at the top.
	commanded = lazyregexp.New(`(https?://[^\s"'<>()]+)|(?:^|[\s"'=(])(?:\.{1,2}/)*([\w@][\w.@\-]*(?:/[\w.@\-]+)+)`)
	// address is one that stands in a text without more, or between angle brackets.
	address = lazyregexp.New(`(?:^|[\s<])(https?://[^\s<>()\[\]"']*[\w/])`)
	// hosted is a file of a branch as the common hosts of repositories show it; a tag or a commit keeps what it has.
	hosted = lazyregexp.New(`^https?://(?:raw\.[^/]+/([^/]+/[^/]+)|[^/]+/(\S+?)/(?:-/)?(?:blob|tree|raw|edit))/([^/]+)/(.+)$`)
	fixed  = lazyregexp.New(`^(?:v?[0-9][0-9a-z.\-]*|[0-9a-f]{7,64})$`)
)

var (
	attributeEntry = lazyregexp.New(`^:([\w-]+):\s+(\S+)\s*$`)
	attributeLink  = lazyregexp.New(`(?:\b(?:xref|link):)?[^\s{}\[\]]*(\{[\w-]+\}[^\s\[\]]*)\[`)
	attributeUse   = lazyregexp.New(`\{[\w-]+\}`)
)

// attributes has what a page of AsciiDoc states by name, for links such as {name}/page.adoc[text]. Of several statements of one
// name, for several outputs, the first holds.
type attributes map[string]string

// read notes what a line states, or tells the links in it that attributes are a part of.
func (a *attributes) read(line string, link func(to string, at markdown.Span)) {
	if !strings.Contains(line, "{") && !strings.HasPrefix(line, ":") {
		return
	}
	plain := func(s string) string {
		return attributeUse().ReplaceAllStringFunc(s, func(use string) string { return cmp.Or((*a)[use[1:len(use)-1]], use) })
	}
	if m := attributeEntry().FindStringSubmatch(line); m != nil && len(m[2]) <= maxAttribute {
		if value := plain(m[2]); len(value) <= maxAttribute && len(*a) < maxLinked {
			if *a == nil {
				*a = attributes{}
			}
			if _, known := (*a)[m[1]]; !known {
				(*a)[m[1]] = value
			}
		}
		return
	}
	for _, m := range attributeLink().FindAllStringSubmatchIndex(line, maxLinked) {
		if m[1]-m[0] > maxAttribute {
			continue
		}
		said := plain(line[m[0] : m[1]-1])
		to, isLink := strings.CutPrefix(said, "link:")
		if !isLink {
			to, isLink = strings.CutPrefix(said, "xref:")
			isLink = isLink && strings.Contains(to, ".") // others are ids
		}
		if isLink && !strings.ContainsAny(to, "{}") && !strings.Contains(to, "://") {
			link(to, markdown.Span{Start: m[2], End: m[3]})
		}
	}
}

// maxAttribute bounds, in bytes, what an attribute says and a link that has some: as long as a name of a file.
const maxAttribute = 255

// maxLinked is how many links of a document are read.
const maxLinked = 10_000

// Fragment returns the text of a link behind its path, which ends there, and #; empty for none.
func Fragment(text string, end int) (at markdown.Span) {
	if end >= len(text) || text[end] != '#' {
		return at
	}
	n := strings.IndexAny(text[end:], ")>[, \t\r\n\"'`")
	if n < 0 {
		n = len(text) - end
	}
	return markdown.Span{Start: end + 1, End: end + n}
}

func withoutFragment(to string) string {
	if i := strings.IndexAny(to, "#?"); i >= 0 {
		return to[:i]
	}
	return to
}

// leads is the path in the folder that a link from one of its folders means, "" for none. An address of a host is one if it
// is of this repository, as the hosts of its remotes call it.
func leads(repository []string, from, to string) string {
	switch m := hosted().FindStringSubmatch(to); {
	case m != nil && !fixed().MatchString(m[3]) && slices.Contains(repository, strings.ToLower(m[1]+m[2])):
		return strings.TrimSuffix(path.Clean(m[4]), "/")
	case to == "" || strings.Contains(to, ":"):
		return ""
	case to[0] == '/':
		to = path.Clean(to[1:])
	default:
		to = path.Join(from, to)
	}
	if to == "." || to == ".." || strings.HasPrefix(to, "../") {
		return ""
	}
	return to
}

// inModule is the path of what a page of an Antora module names, module:page.adoc or family$file; false where the page is in
// none, or another component is meant.
func inModule(page, to string) (string, bool) {
	modules, own, ok := strings.Cut("/"+page, "/modules/")
	module, _, _ := strings.Cut(own, "/")
	if !ok || strings.HasPrefix(to, "./") {
		return "", false
	}
	if other, rest, said := strings.Cut(to, ":"); said && !strings.Contains(rest, ":") {
		module, to = other, rest
	}
	folder := "pages"
	if family, rest, said := strings.Cut(to, "$"); said {
		folder, to = family+"s", rest
	}
	return strings.TrimPrefix(path.Join(modules, "modules", module, folder, to), "/"), !strings.Contains(to, ":")
}
