package texts

import (
	"bytes"
	"encoding/json"
	"strings"
)

// cell is a cell of a notebook. Its text is a string or a list of strings.
type cell struct {
	Type   string `json:"cell_type"`
	Source any
}

func (c cell) text() string {
	var out strings.Builder
	parts, list := c.Source.([]any)
	if !list {
		parts = []any{c.Source}
	}
	for _, p := range parts {
		s, _ := p.(string)
		out.WriteString(s)
	}
	return out.String()
}

// script returns a Jupyter notebook as a Python script of its cells. Each line keeps its line number if each is a
// string on its own line, as Jupyter writes them, and all other text becomes empty lines. In another layout, the
// lines of the cells follow each other. Prose, cells in another language, and commands of the notebook become
// comments.
func script(b []byte) []byte {
	var of struct { // nbformat 4
		Cells    []cell
		Metadata struct {
			Language struct{ Name string } `json:"language_info"`
		}
	}
	if json.Unmarshal(b, &of) != nil {
		return nil
	}
	python := of.Metadata.Language.Name == "" || of.Metadata.Language.Name == "python"
	var lines []string
	for _, c := range of.Cells {
		for line := range strings.Lines(c.text()) {
			line = strings.TrimRight(line, "\r\n")
			if line != "" && (!python || c.Type != "code" || strings.ContainsRune("%!", rune(line[0]))) {
				line = "# " + line
			}
			lines = append(lines, line)
		}
	}
	var out bytes.Buffer
	rest, inside := lines, false
	for line := range bytes.Lines(b) {
		switch line = bytes.TrimSpace(line); {
		case bytes.HasPrefix(line, []byte(`"source":`)):
			inside = bytes.HasSuffix(line, []byte("["))
		case bytes.HasPrefix(line, []byte("]")):
			inside = false
		case inside && len(rest) > 0:
			out.WriteString(rest[0])
			rest = rest[1:]
		}
		out.WriteByte('\n')
	}
	if len(rest) > 0 {
		return []byte(strings.Join(lines, "\n") + "\n")
	}
	return out.Bytes()
}
