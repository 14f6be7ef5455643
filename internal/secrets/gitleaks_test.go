package secrets

import (
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"

	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withGitleaks is the environment variable that names the program gitleaks.
const withGitleaks = "BRV_GITLEAKS"

// leak is a finding of gitleaks.
type leak struct {
	RuleID, File, Secret string
	StartLine            int
}

// gitleaks looks through a folder.
func gitleaks(t *testing.T, dir string) (found []leak) {
	report := filepath.Join(t.TempDir(), "report.json")
	out, err := exec.Command(os.Getenv(withGitleaks), "detect", "--no-git", "--source", dir, "--report-format", "json",
		"--report-path", report, "--exit-code", "0").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(raw, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// known reports whether we find what gitleaks found.
func (l leak) known(text string) bool {
	for _, f := range Scan(text) {
		v := text[f.At.Start:f.At.End]
		if strings.Contains(v, l.Secret) || strings.Contains(l.Secret, v) || 1+strings.Count(text[:f.At.Start], "\n") == l.StartLine {
			return true
		}
	}
	return false
}

// TestGitleaksFindsNoMore compares with another scanner: of our canaries, and in code of Go's standard
// library, it finds nothing by a rule of its own for one format that we do not. What its generic rule takes for
// keys by their entropy alone is counted, as are the canaries that it does not find.
func TestGitleaksFindsNoMore(t *testing.T) {
	if os.Getenv(withGitleaks) == "" {
		t.Skipf("%s is not set: `./test go` installs gitleaks and sets it", withGitleaks)
	}
	dir := t.TempDir()
	for i, c := range secretstest.Canaries() {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte(c.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	for name, at := range map[string]string{"canaries": dir, "crypto/tls": filepath.Join(src, "crypto", "tls"),
		"net/http": filepath.Join(src, "net", "http")} {
		found := gitleaks(t, at)
		missed, generic, files := 0, 0, map[string]bool{}
		for _, l := range found {
			text, err := os.ReadFile(l.File)
			if err != nil {
				t.Fatal(err)
			}
			files[l.File] = true
			switch {
			case l.known(string(text)):
			case l.RuleID == "generic-api-key" && at != dir:
				generic++
			default:
				missed++
				t.Errorf("%s:%d %s %.40q", l.File, l.StartLine, l.RuleID, l.Secret)
			}
		}
		t.Logf("%s: gitleaks finds %d in %d files; %d more than we do by its generic rule, %d by others", name, len(found),
			len(files), generic, missed)
		if at == dir && len(files) < 100 {
			t.Error("gitleaks found fewer than 100 canaries: it did not look")
		}
	}
}
