package format

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// MaxNameBytes bounds the name of a new file (without .md) or folder, in bytes: file
// systems take 255, and the archive adds suffixes.
const MaxNameBytes = 120

// Codes of the problems that a path gives; see [tree.Snapshot.Problems].
const (
	CodeTwin    = "case-twin"    // another path differs only in letter case or Unicode form
	CodeTooDeep = "too-deep"     // below domain/topic/subtopic/file
	CodeName    = "name-invalid" // a name that other systems cannot hold
)

// Slug makes a name of a title: NFC, lower case, letters and digits of any
// script with underscores between, at most 120 bytes; "entry" where nothing
// remains, and in front of a name that is reserved. Words inside camelCase are
// set apart. [CheckName] takes every result.
func Slug(title string) string {
	name := cutName(words.NFC(strings.Join(nameWords(words.NFC(title)), "_")))
	switch {
	case name == "":
		return "entry"
	case name == "index" || CheckName(name) != nil:
		return cutName("entry_" + name)
	}
	return name
}

// cutName shortens a name to the limit, between words where it has any there.
func cutName(name string) string {
	if len(name) <= MaxNameBytes {
		return name
	}
	cut := name[:MaxNameBytes]
	if i := strings.LastIndexByte(cut, '_'); i > 0 && name[MaxNameBytes] != '_' {
		return cut[:i]
	}
	for !utf8.RuneStart(name[len(cut)]) {
		cut = cut[:len(cut)-1]
	}
	return strings.TrimRight(cut, "_")
}

// nameWords splits at everything that is no letter or digit, and inside camelCase.
// Marks belong to the letter before them: many scripts write vowels so.
func nameWords(s string) []string {
	var b strings.Builder
	lower, inside := false, false
	for _, r := range s {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		inside = unicode.IsLetter(r) || unicode.IsDigit(r) || inside && unicode.IsMark(r)
		if !inside {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// CheckName says why a folder or file name (without .md) cannot be made new: nil
// for a good one. Refused are empty, hidden and generated names, the names of
// Windows devices, control and invisible characters, "/" and what Windows forbids,
// spaces at the ends and trailing dots, names that are not NFC, over 120 bytes,
// and what no relation or only some can carry: "%", "#", and "@" or "~" in front.
func CheckName(name string) error {
	if reason := RefusedName(name); reason != "" {
		return fmt.Errorf("%s: %s", strconv.Quote(name), reason)
	}
	return nil
}

// RefusedName says why no file or folder of the tree may have a name, "" if one may.
func RefusedName(name string) string {
	if len(name) > MaxNameBytes {
		return fmt.Sprintf("the name has %d bytes; the limit is %d", len(name), MaxNameBytes)
	}
	if reason := cmp.Or(Unlinkable(name), Unportable(name)); reason != "" {
		return reason
	}
	switch {
	case name[0] == '@' || name[0] == '~' || strings.Contains(name, "#"):
		return "a name with #, or @ or ~ in front, does not work in most relations"
	case name[0] == ' ':
		return "a name cannot begin with a space"
	case strings.ContainsFunc(name, unseen), sanitize.Visible(name) != name:
		return "a name cannot contain invisible characters"
	case words.NFC(name) != name:
		return "a name must be in Unicode normalization form C"
	}
	return ""
}

// Unlinkable returns the reason why no relation can lead to an entry of that name, or into a folder of that
// name; "" if one can.
func Unlinkable(name string) string {
	switch {
	case name == "":
		return "a name cannot be empty"
	case !utf8.ValidString(name):
		return "a name must be UTF-8"
	case name[0] == '.':
		return "a name cannot begin with a dot (hidden file)"
	case GeneratedName(name):
		return "the name is reserved for generated files"
	case strings.ContainsAny(name, `%/:\`):
		return `a name cannot contain %, /, : or \, because relations could not lead to it`
	}
	return ""
}

// GeneratedName reports whether a file or folder of that name has a role of its
// own; see [RoleOf].
func GeneratedName(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "context", "_index", "_manifest", ArchiveDir:
		return true
	}
	for _, end := range []string{".md", ".stub", ".full", ".abstract", ".overview"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Unportable returns the reason why some system cannot store a file of that name, "" if all can.
func Unportable(name string) string {
	switch {
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "a name cannot end with a dot or a space: Windows drops them"
	case strings.ContainsAny(name, `<>:"\|?*`):
		return `Windows does not allow < > : " \ | ? * in a name`
	case strings.ContainsFunc(name, unicode.IsControl):
		return "a name cannot contain control characters"
	case device(name):
		return "this is the name of a device on Windows"
	}
	return ""
}

// device reports the names that Windows takes for devices, whatever follows a dot
// (Microsoft, "Naming Files, Paths, and Namespaces").
func device(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	for _, port := range []string{"com", "lpt"} {
		if n, ok := strings.CutPrefix(stem, port); ok && utf8.RuneCountInString(n) == 1 && strings.Contains("0123456789¹²³", n) {
			return true
		}
	}
	return false
}

// unseen reports characters that make two names look the same, including joiners that belong to a word.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || unicode.IsSpace(r) && r != ' ' || r != ' ' && unicode.Is(unicode.Zs, r)
}

// ErrLevel is the error for an entry at a wrong level of folders.
var ErrLevel = errors.New("the path of an entry must be domain/topic/name.md or domain/topic/subtopic/name.md")

// CheckEntryPath says why no entry can be made at p: it must be
// domain/topic/name.md or domain/topic/subtopic/name.md, each name good.
func CheckEntryPath(p string) error {
	stem, ok := strings.CutSuffix(p, ".md")
	if n := strings.Count(p, "/"); !ok || n < 2 || n > 3 {
		return fmt.Errorf("%s: %w", p, ErrLevel)
	}
	return checkNames(stem)
}

// CheckFolderPath says why p cannot be a new domain, topic or subtopic.
func CheckFolderPath(p string) error {
	if strings.Count(p, "/") > 2 {
		return fmt.Errorf("%s: folders can be at most three levels deep: domain/topic/subtopic", p)
	}
	return checkNames(p)
}

func checkNames(p string) error {
	for name := range strings.SplitSeq(p, "/") {
		if reason := RefusedName(name); reason != "" {
			return fmt.Errorf("%s: %s: %s", p, strconv.Quote(name), reason)
		}
	}
	return nil
}

// Fold makes names comparable: without case and Unicode form, hyphens and spaces
// as underscores. It runs for every path and relation, so plain names, which most
// are, cost one look at each byte.
func Fold(p string) string {
	for i := range len(p) {
		switch c := p[i]; {
		case c >= utf8.RuneSelf:
			return underscores.Replace(FoldCase(p))
		case c >= 'A' && c <= 'Z', c == '-', c == ' ':
			return foldASCII(p, i)
		}
	}
	return p
}

var underscores = strings.NewReplacer("-", "_", " ", "_")

// caseless is the character of [SectionSign]: no form of Unicode changes it or combines it with another one.
const caseless = "›"

// foldASCII folds p, whose first byte to change is p[i].
func foldASCII(p string, i int) string {
	b := []byte(p)
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c >= utf8.RuneSelf:
			if strings.HasPrefix(p[i:], caseless) {
				i += len(caseless) - 1
				continue
			}
			return underscores.Replace(FoldCase(p))
		case c >= 'A' && c <= 'Z':
			b[i] = c + 'a' - 'A'
		case c == '-', c == ' ':
			b[i] = '_'
		}
	}
	return string(b)
}

// FoldCase maps all names that case-insensitive file systems treat as equal to one name. It goes through
// upper case, because only there ς and σ, or ſ and s, become equal.
func FoldCase(p string) string {
	return words.NFC(strings.ToLower(strings.ToUpper(words.NFC(p))))
}

// ArchiveDir is the folder, at the tree's root, of archived entries.
const ArchiveDir = "_archived"

// Archived reports whether a path is the archive, or lies in it.
func Archived(p string) bool { return p == ArchiveDir || strings.HasPrefix(p, ArchiveDir+"/") }

// Hidden reports whether a path has a name that begins with a dot: such files are
// no part of the tree.
func Hidden(p string) bool { return strings.HasPrefix(p, ".") || strings.Contains(p, "/.") }

// SummaryFile is the name of a folder's generated summary.
const SummaryFile = "_index.md"

// FolderOf is the folder of a path, "" for the root.
func FolderOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// Stem is a file's name without the ending of Markdown.
func Stem(name string) string {
	if n := len(name) - len(".md"); n > 0 && strings.EqualFold(name[n:], ".md") {
		return name[:n]
	}
	return name
}

// ShownName is a name or path as people are shown it; see [sanitize.Name].
func ShownName(name string) string { return sanitize.Name(name) }

// ShownLine is a text as a part of one line that people are shown; see [sanitize.OneLine].
func ShownLine(text string) string { return sanitize.OneLine(text) }
