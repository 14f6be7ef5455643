package texts

import (
	"bytes"
	"encoding/json"
	"strings"
)

// script returns a Jupyter notebook as a Python script of its cells. Each line keeps its line number, since
// Jupyter writes each as a string on its own line. Prose, cells in another language, and commands of the notebook
// become comments. Outputs and all other text become empty lines.
func script(b []byte) []byte {
	var of struct { // nbformat 4
		Metadata struct {
			Language struct{ Name string } `json:"language_info"`
		}
	}
	if json.Unmarshal(b, &of) != nil {
		return nil
	}
	python := of.Metadata.Language.Name == "" || of.Metadata.Language.Name == "python"
	var out bytes.Buffer
	code, inside := false, false
	for line := range bytes.Lines(b) {
		line = bytes.TrimSpace(line)
		var text string
		switch {
		case bytes.HasPrefix(line, []byte(`"cell_type":`)):
			code = python && bytes.Contains(line, []byte(`"code"`))
		case bytes.HasPrefix(line, []byte(`"source":`)):
			inside = bytes.HasSuffix(line, []byte("["))
		case bytes.HasPrefix(line, []byte("]")):
			inside = false
		case inside && json.Unmarshal(bytes.TrimSuffix(line, []byte(",")), &text) == nil:
			text = strings.TrimRight(text, "\r\n")
			if !code && text != "" || strings.HasPrefix(text, "%") || strings.HasPrefix(text, "!") {
				text = "# " + text
			}
			out.WriteString(strings.ReplaceAll(text, "\n", " "))
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}
