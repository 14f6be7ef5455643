package markdown

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// NoFile is the name in patches for a file that does not exist.
const NoFile = "/dev/null"

// Diff returns the unified difference of one text without credentials, "" if the text did not change. A name ""
// means that the text did not exist.
func Diff(oldName, before, newName, after string) string {
	named := func(name string) string {
		if name == "" {
			return NoFile
		}
		return name
	}
	return Unified(named(oldName), before, named(newName), after)
}

// DiffAt is [Diff] for parts of files that begin at the given lines; 0 is the first line.
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

// Unified returns a unified difference of the texts, with [REDACTED:rule] for each credential. It finds
// credentials in the whole texts, since they may not be recognisable in single lines of a difference.
func Unified(oldName, before, newName, after string) string {
	plain := string(diff.Diff(oldName, []byte(before), newName, []byte(after)))
	was, is := secrets.Veil(before), secrets.Veil(after)
	if plain == "" || was.Clean() && is.Clean() {
		return plain
	}
	lines := func(v secrets.Veiled, text string) []string { return strings.Split(v.Part(0, len(text)), "\n") }
	left, right := lines(was, before), lines(is, after)
	var out strings.Builder
	inside, i, k := false, 0, 0 // of a hunk; indexes of the next lines
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
		default: // the line that says that there is no line end
			out.WriteString(line)
		}
	}
	return out.String()
}
