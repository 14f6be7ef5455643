package imports

import "encoding/json"

// decodeJSONC reads JSON with comments and trailing commas, as tsconfig.json
// files have them.
func decodeJSONC(text string, into any) error {
	return json.Unmarshal(plainJSON(text), into)
}

// plainJSON blanks comments and trailing commas; everything else keeps its
// place. It never fails: broken input stays broken.
func plainJSON(text string) []byte {
	out := []byte(text)
	if len(out) >= 3 && out[0] == 0xef && out[1] == 0xbb && out[2] == 0xbf {
		copy(out, "   ")
	}
	comma := -1 // a comma after which nothing but blanks and comments came
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == ',':
			comma = i
			i++
		default:
			if (c == '}' || c == ']') && comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
			i++
		}
	}
	return out
}

// stringEnd returns the offset behind the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// blankComment overwrites the comment at i and returns the offset behind it.
func blankComment(b []byte, i int) int {
	block := b[i+1] == '*'
	b[i], b[i+1] = ' ', ' '
	for i += 2; i < len(b); i++ {
		if !block && b[i] == '\n' {
			return i
		}
		if block && b[i] == '*' && i+1 < len(b) && b[i+1] == '/' {
			b[i], b[i+1] = ' ', ' '
			return i + 2
		}
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return len(b)
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
