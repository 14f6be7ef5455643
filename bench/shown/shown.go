// Package shown reads what a pack shows, as an agent would: under a heading that names a path stands a fenced block; a line
// of a list shows a signature, or nothing but a path. Beside it stands the yardstick of packs, windows of lines.
package shown

import (
	"regexp"
	"strconv"
	"strings"
)

// Block holds the lines of one file that a pack shows.
type Block struct {
	Path  string
	Lines [][2]int // line ranges that are shown word for word, as the heading says
	Text  string
}

var (
	heading = regexp.MustCompile("^### `+ ?(.*?)(?::([0-9]+-[0-9]+(?:,[0-9]+-[0-9]+)*))? ?`+$")
	signed  = regexp.MustCompile("^- `+ ?(.*?):[0-9]+ ?`+: `+ ?(.*?) ?`+")
	listed  = regexp.MustCompile("^- `+ ?(.*?) ?`+(?::|$)")
)

// Read finds the blocks of a pack's text, and the paths of its list.
func Read(text string) (blocks []Block, names []string) {
	fence, open := "", false
	var now Block
	var held []string
	for line := range strings.SplitSeq(text, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch m := heading.FindStringSubmatch(line); {
		case fence != "" && line == fence:
			if open {
				now.Text = strings.Join(held, "\n")
				blocks = append(blocks, now)
			}
			fence, open = "", false
		case fence != "":
			held = append(held, line)
		case len(ticks) >= 3:
			fence, held = ticks, nil
		case m != nil:
			now, open = Block{Path: m[1], Lines: parseRanges(m[2])}, true
		case signed.MatchString(line):
			m := signed.FindStringSubmatch(line)
			blocks = append(blocks, Block{Path: m[1], Text: m[2]})
		default:
			if m := listed.FindStringSubmatch(line); m != nil {
				names = append(names, m[1])
			}
		}
	}
	return blocks, names
}

func parseRanges(s string) (out [][2]int) {
	for r := range strings.SplitSeq(s, ",") {
		first, last, ok := strings.Cut(r, "-")
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if ok && err1 == nil && err2 == nil {
			out = append(out, [2]int{a, b})
		}
	}
	return out
}

// Clean is a text as a pack shows it.
func Clean(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
