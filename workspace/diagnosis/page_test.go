package diagnosis

import (
	"os"
	"strings"
	"testing"
)

// Each code has its section, in the order of the list, and its line in the table.
func TestDiagnosticsAreExplained(t *testing.T) {
	raw, err := os.ReadFile("../../docs/diagnostics.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, k := range problemKinds() {
		want = append(want, k.Code)
		grade := k.Severity.String()
		if grade == "info" {
			grade = "information"
		}
		if k.Off {
			grade += ", off"
		}
		if line := "| [" + k.Code + "](#" + k.Code + ") | " + grade + " |\n"; !strings.Contains(string(raw), line) {
			t.Errorf("docs/diagnostics.md lacks the line %q", line)
		}
	}
	for line := range strings.Lines(string(raw)) {
		if code, ok := strings.CutPrefix(line, "## "); ok {
			got = append(got, strings.TrimSpace(code))
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("sections of docs/diagnostics.md: %v, want %v", got, want)
	}
}
