package imports

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// tomlStrings reads the values of a TOML file, by key: the parts of the path
// joined by "\x00", an item of an array of tables by its number. A value is a
// list of one; all but strings are kept as they are written. A list in a list is
// part of it. It never fails: lines that are no TOML are passed over, in time
// linear in the text.
func tomlStrings(text string) map[string][]string {
	values, counts := map[string][]string{}, map[string]int{} // counts: items of each array of tables
	table := ""
	var p unstable.Parser
	for rest := markdown.WithoutMarks([]byte(text)); rest != nil; rest = behindError(&p, rest) {
		p.Reset(slices.Clip(rest)) // places of errors are told by what is left of the text's memory
		for p.NextExpression() {
			n := p.Expression()
			key := tomlPath(n)
			switch n.Kind {
			case unstable.Table:
				table = key
			case unstable.ArrayTable:
				table = tomlKey(key, strconv.Itoa(counts[key]))
				counts[key]++
			default:
				if table != "" {
					key = tomlKey(table, key)
				}
				addTOML(values, key, n.Value())
			}
		}
	}
	return values
}

// behindError returns what follows the line where a parser stopped, nil at the end.
func behindError(p *unstable.Parser, text []byte) []byte {
	var wrong *unstable.ParserError
	if !errors.As(p.Error(), &wrong) {
		return nil
	}
	rest := text[p.Range(wrong.Highlight).Offset:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[i+1:]
	}
	return nil
}

// addTOML adds a value, and what it holds.
func addTOML(values map[string][]string, key string, v *unstable.Node) {
	switch v.Kind {
	case unstable.Array:
		for in := v.Children(); in.Next(); {
			addTOML(values, key, in.Node())
		}
	case unstable.InlineTable:
		for in := v.Children(); in.Next(); {
			addTOML(values, tomlKey(key, tomlPath(in.Node())), in.Node().Value())
		}
	default:
		values[key] = append(values[key], string(v.Data))
	}
}

// tomlPath is the key of a table's head or of an assignment.
func tomlPath(n *unstable.Node) string {
	var parts []string
	for in := n.Key(); in.Next(); {
		parts = append(parts, string(in.Node().Data))
	}
	return tomlKey(parts...)
}

// tomlKey joins the parts of a key.
func tomlKey(parts ...string) string { return strings.Join(parts, "\x00") }

// tomlString returns the one string of a key, "" if there is none.
func tomlString(values map[string][]string, parts ...string) string {
	if v := values[tomlKey(parts...)]; len(v) > 0 {
		return v[0]
	}
	return ""
}
