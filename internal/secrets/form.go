package secrets

import (
	"math"
	"regexp/syntax"
)

// A form is a simple regular expression that is matched by a loop over the bytes of a text. Its alternatives are
// written out. It repeats only single characters, as many as there are: the text after a repetition must not begin
// with the repeated character, so that no other number of repetitions can match. Package regexp is linear too, but
// it clears memory for all the text that it may examine. Here that is 4 KiB at each word, and took 0.2 s for a MB
// of such words.
type form [][]piece

// piece matches a number of bytes from a set. Pieces of the first group are the secret.
type piece struct {
	set      [256]bool
	min, max int
	inside   bool
}

// newForm parses an expression. It panics if the expression is not a form, since that is an error in a table.
func newForm(expr string) form {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return written(re, false)
}

// written lists the ways to match a part of an expression, in order of preference.
func written(re *syntax.Regexp, inside bool) form {
	one := func(runes ...rune) form {
		p := piece{min: 1, max: 1, inside: inside}
		for i := 0; i < len(runes); i += 2 {
			for c := runes[i]; c <= min(runes[i+1], 255); c++ {
				p.set[c] = true
			}
		}
		return form{{p}}
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return form{{}}
	case syntax.OpLiteral:
		out := form{{}}
		for _, c := range re.Rune {
			runes := []rune{c, c}
			if re.Flags&syntax.FoldCase != 0 && (c|0x20) >= 'a' && (c|0x20) <= 'z' {
				runes = []rune{c | 0x20, c | 0x20, c &^ 0x20, c &^ 0x20}
			}
			out[0] = append(out[0], one(runes...)[0]...)
		}
		return out
	case syntax.OpCharClass:
		return one(re.Rune...)
	case syntax.OpCapture:
		return written(re.Sub[0], true)
	case syntax.OpAlternate:
		var out form
		for _, sub := range re.Sub {
			out = append(out, written(sub, inside)...)
		}
		return out
	case syntax.OpConcat:
		out := form{{}}
		for _, sub := range re.Sub {
			var longer form
			for _, before := range out {
				for _, behind := range written(sub, inside) {
					longer = append(longer, append(before[:len(before):len(before)], behind...))
				}
			}
			out = longer
		}
		return out
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if sub := written(re.Sub[0], inside); len(sub) == 1 && len(sub[0]) == 1 {
			p := &sub[0][0]
			switch {
			case re.Op == syntax.OpQuest:
				p.min = 0
			case re.Op == syntax.OpRepeat:
				p.min, p.max = re.Min, re.Max
			case re.Op == syntax.OpStar:
				p.min, p.max = 0, -1
			default:
				p.max = -1
			}
			if p.max < 0 {
				p.max = math.MaxInt
			}
			return sub
		} else if re.Op == syntax.OpQuest {
			return append(sub, nil)
		}
	}
	panic("secrets: no form: " + re.String())
}

// match matches the beginning of a text. It returns the end of the match, and where the secret is: in the group,
// or else the whole match.
func (f form) match(text string) (from, to, end int, ok bool) {
	for _, way := range f {
		if from, to, end, ok = matchWay(way, text); ok {
			return from, to, end, true
		}
	}
	return 0, 0, 0, false
}

func matchWay(way []piece, text string) (from, to, end int, ok bool) {
	from = -1
	for i := range way {
		p := &way[i]
		n, most := 0, min(p.max, len(text)-end)
		for n < most && p.set[text[end+n]] {
			n++
		}
		if n < p.min {
			return 0, 0, 0, false
		}
		if p.inside && from < 0 {
			from = end
		}
		end += n
		if p.inside {
			to = end
		}
	}
	if from < 0 {
		return 0, end, end, true
	}
	return from, to, end, true
}

// Rules that belong to no vendor.
const (
	ruleURL      = "url-credentials"
	ruleHeader   = "authorization-header"
	ruleAssigned = "assigned-secret"
	ruleCommand  = "command-line-secret"
	rulePEM      = "private-key"
)

// maxSecret bounds the text on which an expression is tried, in bytes. The longest secrets in use are web tokens
// with many claims.
const maxSecret = 4 << 10

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
