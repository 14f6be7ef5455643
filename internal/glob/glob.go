// Package glob matches patterns of paths, in the two ways in which people write them: with "**" for any folders and
// alternatives in braces, as settings, rules and manifests of packages have them ([Match]); and as git does ([Git]).
// Git's cannot stand for the others: it knows no braces, and a folder's own name does not match "folder/**".
package glob

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Check returns the error of a pattern that [Match] cannot parse.
func Check(p string) error {
	if !doublestar.ValidatePattern(p) {
		return fmt.Errorf("%s is not a valid glob pattern", p)
	}
	combinations := 1
	for _, part := range strings.Split(p, "{")[1:] {
		if combinations *= 1 + strings.Count(part, ","); combinations > maxCombinations {
			return fmt.Errorf("%s has more than %d combinations of braces; write several patterns", p, maxCombinations)
		}
	}
	return nil
}

// maxCombinations bounds the alternatives that a pattern expands to: matching may try each. They are counted
// as if braces were not nested, which is never too few.
const maxCombinations = 256

// Match reports whether a path fits one of some patterns, which [Check] has passed.
func Match(patterns []string, p string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		// Most paths have another ending than most patterns, such as ".md". The slash of "**/x" need not be
		// in the path.
		end := strings.TrimPrefix(pattern[strings.LastIndexAny(pattern, `*?{}[]\`)+1:], "/")
		return strings.HasSuffix(p, end) && doublestar.MatchUnvalidated(pattern, p)
	})
}
