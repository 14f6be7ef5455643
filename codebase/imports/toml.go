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

// tomlStrings reads the values of a TOML file by key. A key is the parts of the path joined by "\x00", with a
// number for an item of an array of tables. Each value is a list, of one item for a single value. Strings are
// decoded; other values stay as written. A nested list becomes part of the outer one. It never fails: lines that
// are not TOML are skipped, in time linear in the text.
func tomlStrings(text string) map[string][]string {
	values, counts := map[string][]string{}, map[string]int{} // counts: items of each array of tables
	table := ""
	var p unstable.Parser
	for rest := markdown.WithoutMarks([]byte(text)); rest != nil; rest = behindError(&p, rest) {
		p.Reset(slices.Clip(rest)) // the parser takes positions of errors from the remaining capacity
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

// behindError returns the text after the line where a parser stopped, or nil at the end.
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

// addTOML adds a value, and the values inside it.
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

// tomlPath returns the key of a table's header or of an assignment.
func tomlPath(n *unstable.Node) string {
	var parts []string
	for in := n.Key(); in.Next(); {
		parts = append(parts, string(in.Node().Data))
	}
	return tomlKey(parts...)
}

// tomlKey joins the parts of a key.
func tomlKey(parts ...string) string { return strings.Join(parts, "\x00") }

// tomlString returns the only string of a key, "" if there is none.
func tomlString(values map[string][]string, parts ...string) string {
	if v := values[tomlKey(parts...)]; len(v) > 0 {
		return v[0]
	}
	return ""
}
