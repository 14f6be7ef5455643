package markdown

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// NoFile is the name that patches give to a file that does not exist.
const NoFile = "/dev/null"

// Diff is the unified diff of one text that changed, "" if it did not, without the credentials in it. A name
// that is "" means that the text did not exist.
func Diff(oldName, before, newName, after string) string {
	named := func(name string) string {
		if name == "" {
			return NoFile
		}
		return name
	}
	return Unified(named(oldName), before, named(newName), after)
}

// DiffAt is [Diff] of parts of files, which begin at the given lines; 0 is the first.
func DiffAt(oldName string, oldLine int, before, newName string, newLine int, after string) string {
	var out strings.Builder
	for line := range strings.Lines(Diff(oldName, before, newName, after)) {
		var i, n, k, m int
		if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &i, &n, &k, &m); err == nil {
			line = fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", i+max(0, oldLine-1), n, k+max(0, newLine-1), m)
		}
		out.WriteString(line)
	}
	return out.String()
}

// Unified is a unified diff with the lines of the texts and [REDACTED:rule] for each credential, which may
// not be recognisable behind a sign or without the lines around it.
func Unified(oldName, before, newName, after string) string {
	plain := string(diff.Diff(oldName, []byte(before), newName, []byte(after)))
	was, is := secrets.Veil(before), secrets.Veil(after)
	if plain == "" || was.Clean() && is.Clean() {
		return plain
	}
	lines := func(v secrets.Veiled, text string) []string { return strings.Split(v.Part(0, len(text)), "\n") }
	left, right := lines(was, before), lines(is, after)
	var out strings.Builder
	inside, i, k := false, 0, 0 // of a hunk; the next lines
	for line := range strings.Lines(plain) {
		if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &i, new(int), &k, new(int)); err == nil && line[0] == '@' {
			inside, i, k = true, i-1, k-1
			out.WriteString(line)
			continue
		}
		switch sign := line[0]; {
		case !inside:
			out.WriteString(line)
		case sign == '-' || sign == ' ':
			if i = max(i, 0); i < len(left) {
				out.WriteString(line[:1] + left[i] + "\n")
			}
			if i++; sign == ' ' {
				k++
			}
		case sign == '+':
			if k = max(k, 0); k < len(right) {
				out.WriteString(line[:1] + right[k] + "\n")
			}
			k++
		default: // there is no line end
			out.WriteString(line)
		}
	}
	return out.String()
}
