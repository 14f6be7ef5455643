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

// The results of matching: besides yes and no, two results that mean that a longer match of the last star
// cannot help either. They keep the search polynomial.
type outcome int

const (
	noMatch outcome = iota
	matched
	abortAll      // the text is used up
	abortStarStar // only a star that crosses slashes could still match
)

// MaxSteps bounds one match of [Git]. Real patterns need some hundred; a hostile row
// of "**/" would need exponentially many and then counts as no match.
const MaxSteps = 50_000

// Git matches as git does, and returns the number of steps that it took, about one per byte of the pattern.
// With pathname, '*', '?' and brackets stop at slashes, and "**" between slashes crosses them. With fold,
// case is ignored, except, as in git, for a letter behind a backslash or alone in brackets.
func Git(pattern, text string, pathname, fold bool) (ok bool, steps int) {
	w := wild{pathname: pathname, fold: fold}
	ok = w.match(pattern, text, true) == matched
	return ok, w.steps
}

type wild struct {
	pathname bool
	fold     bool
	steps    int
}

// match matches all of p against all of t. start means that p begins a path segment, where two stars are a
// double star.
func (w *wild) match(p, t string, start bool) outcome {
	for p != "" {
		if w.steps++; w.steps > MaxSteps {
			return abortAll
		}
		if t == "" && p[0] != '*' {
			return abortAll
		}
		switch p[0] {
		case '*':
			return w.star(p, t, start)
		case '?':
			if w.pathname && t[0] == '/' {
				return noMatch
			}
			p = p[1:]
		case '[':
			rest, ok, malformed := bracket(p, w.lower(t[0]), w.fold)
			w.steps += len(p) - len(rest)
			if malformed {
				return abortAll
			}
			if !ok || w.pathname && t[0] == '/' {
				return noMatch
			}
			p = rest
		case '\\':
			if len(p) < 2 || p[1] != w.lower(t[0]) {
				return noMatch
			}
			p = p[2:]
		default:
			if w.lower(p[0]) != w.lower(t[0]) {
				return noMatch
			}
			p = p[1:]
		}
		start = t[0] == '/'
		t = t[1:]
	}
	if t == "" {
		return matched
	}
	return noMatch
}

func (w *wild) lower(c byte) byte {
	if w.fold {
		return Lower(c)
	}
	return c
}

// Lower is a byte as Git compares it with fold.
func Lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// star matches a pattern that begins with one or more stars.
func (w *wild) star(p, t string, start bool) outcome {
	rest := strings.TrimLeft(p, "*")
	w.steps += len(p) - len(rest)
	crosses := !w.pathname
	if w.pathname && len(p)-len(rest) > 1 && start && endsSegment(rest) {
		if strings.HasPrefix(rest, "/") && w.match(rest[1:], t, true) == matched {
			return matched // "**/" stands for no folder, too
		}
		crosses = true
	}
	if rest == "" {
		if !crosses && strings.Contains(t, "/") {
			return abortStarStar
		}
		return matched
	}
	if !crosses && rest[0] == '/' {
		slash := strings.IndexByte(t, '/')
		if slash < 0 {
			return abortAll
		}
		return w.match(rest[1:], t[slash+1:], true)
	}
	return w.extend(rest, t, crosses)
}

func endsSegment(rest string) bool {
	return rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)
}

// extend lets a star take one byte after the other.
func (w *wild) extend(rest, t string, crosses bool) outcome {
	for ; t != ""; t = t[1:] {
		switch r := w.match(rest, t, false); {
		case r == noMatch:
			if !crosses && t[0] == '/' {
				return abortStarStar
			}
		case !crosses || r != abortStarStar:
			return r
		}
		if !crosses && t[0] == '/' {
			return abortStarStar
		}
	}
	return abortAll
}

// bracket matches one byte against the set that p begins with and returns the
// pattern behind it. With fold, c is not a capital.
func bracket(p string, c byte, fold bool) (rest string, ok, malformed bool) {
	i := 1
	at := func(i int) byte {
		if i < len(p) {
			return p[i]
		}
		return 0
	}
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	var prev byte
	for first := true; first || at(i) != ']'; first = false {
		b := at(i)
		switch {
		case b == 0:
			return "", false, true
		case b == '\\':
			i++
			if b = at(i); b == 0 {
				return "", false, true
			}
			ok = ok || c == b
		case b == '-' && prev != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if b = at(i); b == '\\' {
				i++
				if b = at(i); b == 0 {
					return "", false, true
				}
			}
			ok = ok || prev <= c && c <= b || fold && isLower(c) && prev <= c-'a'+'A' && c-'a'+'A' <= b
			b = 0
		case b == '[' && at(i+1) == ':':
			end := strings.IndexByte(p[i+2:], ']')
			if end < 0 {
				return "", false, true
			}
			name, closed := strings.CutSuffix(p[i+2:i+2+end], ":")
			if !closed {
				ok = ok || c == '['
				break
			}
			in, known := inClass(name, c)
			if !known {
				return "", false, true
			}
			ok = ok || in || fold && name == "upper" && isLower(c)
			i += 2 + end
			b = 0
		default:
			ok = ok || c == b
		}
		prev = b
		i++
	}
	return p[i+1:], ok != negated, false
}

// inClass knows the POSIX classes, for ASCII as git does.
func inClass(name string, c byte) (in, known bool) {
	lower, upper := isLower(c), isUpper(c)
	digit := '0' <= c && c <= '9'
	graph := 0x21 <= c && c <= 0x7e
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}
