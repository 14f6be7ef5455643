package corpus

import (
	"regexp"
	"strings"
)

// Section is a named part of an archive: text in the form of txtar, in which a line
// "-- name --" begins a section. What stands before the first one is for people.
type Section struct {
	Name string
	Line int // of its heading, 1-based
	Text string
}

var sectionHead = regexp.MustCompile(`^-- (\S.*?) --$`)

// Sections splits an archive.
func Sections(archive string) (out []Section) {
	n := 0
	for line := range strings.Lines(archive) {
		n++
		if m := sectionHead.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			out = append(out, Section{Name: m[1], Line: n})
		} else if len(out) > 0 {
			out[len(out)-1].Text += line
		}
	}
	return out
}
