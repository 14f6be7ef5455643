package prose

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestProse needs BRV_LANGUAGETOOL, a folder with the jars of pom.xml. The lane "prose" of ./test sets it.
func TestProse(t *testing.T) {
	jars := os.Getenv("BRV_LANGUAGETOOL")
	texts := readAll(t, filepath.Join("..", ".."))
	n := 0
	var b strings.Builder
	for i, x := range texts {
		if i > 0 {
			b.WriteByte(0)
		}
		b.WriteString(x.text)
		n += words(x.text)
	}
	t.Logf("%d texts, %d words", len(texts), n)
	if jars == "" {
		t.Skip("BRV_LANGUAGETOOL is not set: `./test prose` installs LanguageTool and sets it")
	}
	input := filepath.Join(t.TempDir(), "texts")
	if err := os.WriteFile(input, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	except := readExceptions(t)
	cmd := exec.Command("java", "-cp", filepath.Join(jars, "*"), "Check.java", input,
		strings.Join(except.rules, " "), strings.Join(except.words, " "))
	cmd.Stderr = os.Stderr
	found, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(found)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
		i, _ := strconv.Atoi(f[0])
		from, _ := strconv.Atoi(f[1])
		to, _ := strconv.Atoi(f[2])
		x := texts[i]
		units := utf16.Encode([]rune(x.text))
		at := string(utf16.Decode(units[from:to]))
		after := string(utf16.Decode(units[to:min(len(units), to+1+len(dummy))]))
		if strings.Contains(at, dummy) || after == " "+dummy || except.allows(f[3], x.text) {
			continue
		}
		t.Errorf("%s:%d: %s: %q: %s\n\t%s", x.file, x.line, f[3], at, f[4], x.text)
	}
	except.reportUnused(t)
}
