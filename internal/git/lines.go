package git

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Hunk is a run of lines that only one side of a difference has.
type Hunk struct {
	Line int    // 1-based, of the first, in the file that has them
	Text string // without the last line end
}

// compare finds the lines of before that are not in after, and the other way round. Line ends count as LF. A
// moved block is moved as a whole.
func compare(before, after string) (removed, added []Hunk) {
	_, plain, _ := strings.Cut(string(diff.Diff("", plainLines(before), "", plainLines(after))), "+++ \n") // behind its head
	var left, right runs
	for line := range strings.Lines(plain) {
		switch line[0] {
		case '@': // where the next lines stand
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

// plainLines ends all lines of a text, and each with LF.
func plainLines(text string) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

// runs gathers the lines that one side alone has.
type runs struct {
	line  int   // the number of the next line
	first []int // of each run
	texts []*strings.Builder
	end   int // the line behind the last run
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
