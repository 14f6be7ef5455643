package imports

import (
	"path"
	"strings"
)

// globMatch matches a slash-separated path against a pattern of "*", "?" and
// whole-segment "**". Braces are not alternatives here; patterns that need more
// match nothing.
func globMatch(pattern, p string) bool {
	return globSegments(strings.Split(pattern, "/"), strings.Split(p, "/"))
}

// globSegments matches segment by segment. Going back to the last "**" alone is
// enough, so the cost is at most the product of the lengths.
func globSegments(pattern, segments []string) bool {
	i, j := 0, 0
	starAt, resume := -1, 0
	for j < len(segments) {
		switch {
		case i < len(pattern) && pattern[i] == "**":
			starAt, resume = i, j
			i++
			continue
		case i < len(pattern):
			if ok, err := path.Match(pattern[i], segments[j]); ok && err == nil {
				i, j = i+1, j+1
				continue
			}
		}
		if starAt < 0 {
			return false
		}
		resume++
		i, j = starAt+1, resume
	}
	for i < len(pattern) && pattern[i] == "**" {
		i++
	}
	return i == len(pattern)
}
