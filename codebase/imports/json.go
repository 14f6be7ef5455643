package imports

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// decodeJSONC reads JSON with comments and trailing commas, as in tsconfig.json files.
func decodeJSONC(text string, into any) error {
	return json.Unmarshal(plainJSON(text), into)
}

// maxBrackets bounds the nesting of a text, since the parser is recursive.
const maxBrackets = 1 << 13

// plainJSON replaces comments and trailing commas by blanks; everything else keeps its position. It never fails:
// invalid input stays invalid.
func plainJSON(text string) []byte {
	if strings.Count(text, "[")+strings.Count(text, "{") > maxBrackets {
		return nil
	}
	data := markdown.WithoutMarks([]byte(text + "\n")) // a line comment ends with its line
	if plain, err := hujson.Standardize(data); err == nil {
		return plain
	}
	return data
}

// jsonString returns a JSON string's value, "" if it is anything else.
func jsonString(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// stringOrList returns the items of a JSON string or list of strings.
func stringOrList(raw json.RawMessage) []string {
	if one := jsonString(raw); one != "" {
		return []string{one}
	}
	var many []string
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &many)
	}
	return many
}
