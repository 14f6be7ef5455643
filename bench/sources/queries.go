package sources

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// ReadQueries reads the distinct `query` fields of files with one JSON object a line.
func ReadQueries(files []string) ([]string, error) {
	seen := map[string]bool{"": true}
	var out []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			var one struct{ Query string }
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if !seen[one.Query] {
				seen[one.Query] = true
				out = append(out, one.Query)
			}
		}
	}
	return out, nil
}
