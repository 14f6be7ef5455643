package git

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Hunk is a run of lines that occurs on only one side of a difference.
type Hunk struct {
	Line int    // 1-based number of the first line in its file
	Text string // without the last line end
}

// compare finds the lines of before that are not in after, and the reverse. Line ends count as LF. A moved block
// is moved as a whole.
func compare(before, after string) (removed, added []Hunk) {
	_, plain, _ := strings.Cut(string(diff.Diff("", plainLines(before), "", plainLines(after))), "+++ \n") // without its header
	var left, right runs
	for line := range strings.Lines(plain) {
		switch line[0] {
		case '@': // gives the numbers of the next lines
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &left.line, new(int), &right.line, new(int))
		case ' ':
			left.line++
			right.line++
		case '-':
			left.add(line[1:])
		case '+':
			right.add(line[1:])
		}
	}
	return left.hunks(), right.hunks()
}

// plainLines ends every line of a text with LF, also the last.
func plainLines(text string) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

// runs collects the lines that only one side has.
type runs struct {
	line  int   // the number of the next line
	first []int // the first line of each run
	texts []*strings.Builder
	end   int // the line after the last run
}

func (r *runs) add(line string) {
	if len(r.texts) == 0 || r.line != r.end {
		r.first, r.texts = append(r.first, r.line), append(r.texts, &strings.Builder{})
	}
	r.texts[len(r.texts)-1].WriteString(line)
	r.line++
	r.end = r.line
}

func (r *runs) hunks() (out []Hunk) {
	for i, text := range r.texts {
		out = append(out, Hunk{r.first[i], strings.TrimSuffix(text.String(), "\n")})
	}
	return out
}
