package imports

import "strings"

// yamlList reads a block list of plain or quoted strings below a key at the beginning of a line. That is all that
// pnpm-workspace.yaml needs.
func yamlList(text, key string) []string {
	var out []string
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed, "-")
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case strings.HasPrefix(line, key+":"):
			in = true
		case in && isItem:
			item = strings.TrimSpace(item)
			if item != "" && (item[0] == '"' || item[0] == '\'') {
				item, _, _ = strings.Cut(item[1:], item[:1])
			} else {
				item, _, _ = strings.Cut(item, " #")
			}
			out = append(out, strings.TrimSpace(item))
		default:
			in = false
		}
	}
	return out
}
