package imports

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// decodeJSONC reads JSON with comments and trailing commas, as tsconfig.json
// files have them.
func decodeJSONC(text string, into any) error {
	return json.Unmarshal(plainJSON(text), into)
}

// maxBrackets bounds how deep a text can nest: its parser calls itself for each level.
const maxBrackets = 1 << 13

// plainJSON blanks comments and trailing commas; everything else keeps its
// place. It never fails: broken input stays broken.
func plainJSON(text string) []byte {
	if strings.Count(text, "[")+strings.Count(text, "{") > maxBrackets {
		return nil
	}
	data := markdown.WithoutMarks([]byte(text + "\n")) // a comment of a line ends with it
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
