package tokens

import (
	"fmt"
	"strings"
)

// Encoding is one way to cut a text into tokens. There is one value for each, so that
// pointers can be compared. Its methods may run concurrently.
type Encoding struct {
	name            string
	count, estimate func(string) int
}

// DefaultEncoding is the encoding that counts budgets where the caller names none.
const DefaultEncoding = "o200k_base"

// encodings lists the known encodings, the default first.
var encodings = []*Encoding{
	{DefaultEncoding, Count, Estimate},
	{"cl100k_base", func(s string) int { return cl100k.count(s, nextPieceCl100k) }, Estimate},
	{"bytes", countBytes, countBytes},
}

// countBytes is the encoding "bytes".
func countBytes(s string) int { return len(s) }

// families are the models whose encoding is published. A name belongs to a family if it is the family's, or
// continues it with a hyphen: gpt-4o is not gpt-4.
var families = []struct {
	encoding string
	models   []string
}{
	{DefaultEncoding, []string{"gpt-5", "gpt-4.1", "gpt-4o", "chatgpt-4o", "o1", "o3", "o4"}},
	{"cl100k_base", []string{"gpt-4", "gpt-3.5-turbo"}},
}

// Named returns the encoding of a name, or of a model of a known family; "" is
// [DefaultEncoding]. Every call returns the same pointer for the same encoding. The
// error lists the names there are.
func Named(name string) (*Encoding, error) {
	if name == "" {
		return encodings[0], nil
	}
	wanted := strings.ToLower(name)
	for _, family := range families {
		for _, model := range family.models {
			if wanted == model || strings.HasPrefix(wanted, model+"-") {
				wanted = family.encoding
			}
		}
	}
	for _, e := range encodings {
		if e.name == wanted {
			return e, nil
		}
	}
	return nil, fmt.Errorf("there is no tokenizer %q; use %s, or a model's name such as %s; for other models, use `bytes`, "+
		"which never counts too few tokens", name, strings.Join(Names(), ", "), modelNames())
}

// Names lists the encodings, the default first.
func Names() []string {
	var names []string
	for _, e := range encodings {
		names = append(names, e.name)
	}
	return names
}

func modelNames() string {
	var names []string
	for _, family := range families {
		names = append(names, family.models...)
	}
	return strings.Join(names, ", ")
}

// Name returns the encoding's name for [Named].
func (e *Encoding) Name() string { return e.name }

// Count returns the exact number of tokens.
func (e *Encoding) Count(s string) int { return e.count(s) }

// Estimate returns approximately the result of Count, at a lower cost.
func (e *Encoding) Estimate(s string) int { return e.estimate(s) }

// Prefix is the beginning of a text, whole lines, in at most that many tokens, counted
// exactly; whole reports that it is all. A line or two more might have fit.
func (e *Encoding) Prefix(text string, most int) (prefix string, whole bool) {
	if len(text) <= most || e.Count(text) <= most { // no token is shorter than a byte
		return text, true
	}
	// A text has fewer tokens than its lines one by one: what a first cut leaves over
	// is used by a second.
	end, limit := 0, most
	for range 2 {
		next := lines(text, limit, e.Count)
		for next > end && e.Count(text[:next]) > most {
			next = 1 + strings.LastIndexByte(text[:next-1], '\n')
		}
		end = max(end, next)
		limit = limit * most / max(1, e.Count(text[:end]))
	}
	return text[:end], false
}

// lines is where the lines end that one by one have at most that many tokens.
func lines(text string, most int, count func(string) int) (end int) {
	for line := range strings.Lines(text) {
		if most -= count(line); most < 0 {
			break
		}
		end += len(line)
	}
	return end
}
