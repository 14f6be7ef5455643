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
	// reference matches the targets of links in reStructuredText and AsciiDoc. page matches those in
	// reStructuredText without the file's extension.
	reference = lazyregexp.New("<([^\\s<>`]*[^\\s<>`_])>`_|^\\.\\. _[^:]+:\\s*(\\S*[^\\s_])(?:\\s|$)|" +
		":download:`(?:[^`<]*<)?([^`<>]+)>?`|^\\s*\\.\\. (?:\\|[^|]+\\| +)?(?:image|figure):: *(\\S+)|" +
		"(?:\\b|_)(?:xref:([^\\s\\[\\]{}]*\\.[^\\s\\[\\]{}]+)|link:([^\\s\\[\\]{}:]+))\\[|<<([^<>,#]+(?:\\.adoc|\\.asciidoc|#[^<>,]*))[,>]")
	page = lazyregexp.New(":doc:`(?:[^`<]*<)?([^`<>]+)>?`")
	// media matches the pictures, films and sounds of AsciiDoc.
	media = lazyregexp.New(`\b(?:image|video|audio)::?([^\s\[\]{}:][^\[\]{}:]*)\[`)
	// imported matches an import in an MDX page, also the last line of one over several lines.
	imported = lazyregexp.New(`^(?:import\s+|(?:import|export|\})\s[^"']*\bfrom\s+)["'](\.{0,2}/[^"']+)["']`)
	// mentioned and attached match the files that a rule includes: behind an @ relative to the rule's folder, and
	// behind #file: from the top.
	mentioned = lazyregexp.New(`(?:^|[\s(])@((?:[\pL\pN_.\-]+/)*[\pL\pN_.\-]*[\pL\pN_\-]\.\w+)`)
	attached  = lazyregexp.New(`(?:^|[\s(])#file:((?:[\pL\pN_.\-]+/)*[\pL\pN_.\-]*[\pL\pN_\-]\.\w+)`)
	// A role may continue on the next line, and each line of a table of contents names a page.
	openPage   = lazyregexp.New(":doc:`[^`<>]*$")
	restOfPage = lazyregexp.New("^[^`<>]*<([^`<>]+)>`")
	content    = lazyregexp.New(`^\s+(?:[^:\s][^<>]*<([^\s<>*]+)>|([^:\s<>*][^\s<>*]*))\s*$`)
	// commanded matches words of a code block that can be files: addresses, and paths with a folder. The folder of
	// a command is not known, so a path that begins with ../ is looked up from the top.
	commanded = lazyregexp.New(`(https?://[^\s"'<>()]+)|(?:^|[\s"'=(])(?:\.{1,2}/)*([\w@][\w.@\-]*(?:/[\w.@\-]+)+)`)
	// address matches a plain address in a text, with or without angle brackets.
	address = lazyregexp.New(`(?:^|[\s<])(https?://[^\s<>()\[\]"']*[\w/])`)
	// hosted matches a file of a branch on the common hosts of repositories. Files of a tag or a commit do not
	// change.
	hosted = lazyregexp.New(`^https?://(?:raw\.[^/]+/([^/]+/[^/]+)|[^/]+/(\S+?)/(?:-/)?(?:blob|tree|raw|edit))/([^/]+)/(.+)$`)
	fixed  = lazyregexp.New(`^(?:v?[0-9][0-9a-z.\-]*|[0-9a-f]{7,64})$`)
)

var (
	attributeEntry = lazyregexp.New(`^:([\w-]+):\s+(\S+)\s*$`)
	attributeLink  = lazyregexp.New(`(?:\b(?:xref|link):)?[^\s{}\[\]]*(\{[\w-]+\}[^\s\[\]]*)\[`)
	attributeUse   = lazyregexp.New(`\{[\w-]+\}`)
)

// attributes holds the attributes that a page of AsciiDoc defines, for links such as {name}/page.adoc[text]. If a
// name has several definitions, for several output formats, the first one counts.
type attributes map[string]string

// read records the attribute that a line defines, or reports the links in the line that use attributes.
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

// maxAttribute bounds the value of an attribute and the length of a link with attributes, in bytes, to that of a
// file name.
const maxAttribute = 255

// maxLinked bounds how many links of a document are read.
const maxLinked = 10_000

// Fragment returns the part of a link behind the # that follows its path, which ends at end. It is empty if there
// is none.
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

// leads returns the path in the folder to which a link from one of its folders leads, "" if there is none. An
// address on a host counts if it belongs to this repository; repository has the names that its remotes give it.
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

// inModule returns the path of a target inside an Antora module: module:page.adoc or family$file. It is false if
// the page is in no module, or if the target is in another component.
func inModule(page, to string) (string, bool) {
	modules, own, ok := strings.Cut("/"+page, "/modules/")
	module, _, _ := strings.Cut(own, "/")
	if !ok || strings.HasPrefix(to, "./") {
		return "", false
	}
	if other, rest, said := strings.Cut(to, ":"); said && !strings.Contains(rest, ":") {
		module, to = cmp.Or(other, module), rest
	}
	folder := "pages"
	if family, rest, said := strings.Cut(to, "$"); said {
		folder, to = family+"s", rest
	}
	return strings.TrimPrefix(path.Join(modules, "modules", module, folder, to), "/"), !strings.Contains(to, ":")
}
