package host

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

var hostilePaths = []string{
	"brv-lsp", "/opt/brv-lsp", "/opt/my tools/brv-lsp", "/d;touch PWN/x", "/$(touch PWN)/x", "/`touch PWN`/x", `/a"b\c/x`, "/it's/x",
	"/a|b&c<d>e(f)/x", "/*?[a]/x", "~/x", "#x", "a=b", "/!x/{a,b}", "%1", "/ünï/x", "/a  b", "''", "-x", "/\u3000/x", "$BRV", "/$LINE/$SH",
}

// TestHooksRunTheProgram gives paths to a real shell as the first word of a line.
func TestHooksRunTheProgram(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, path := range hostilePaths {
		out, err := exec.Command(sh, "-c", "printf '<%s>' "+quoteSh(path)+" hook").Output()
		if want := "<" + path + "><hook>"; err != nil || string(out) != want {
			t.Errorf("%s: %v, sh reads %s", path, err, out)
		}
		if got := fill("$LINE hook", path); got != quoteSh(path)+" hook" {
			t.Errorf("%s is filled in as %s", path, got)
		}
	}
}

func TestQuotesAreTheShells(t *testing.T) {
	for _, c := range []struct{ path, sh, cmd, powerShell string }{
		{"C:/bin/brv-lsp.exe", "C:/bin/brv-lsp.exe", "C:/bin/brv-lsp.exe", "C:/bin/brv-lsp.exe"},
		{"C:/a b/x.exe", "'C:/a b/x.exe'", `"C:/a b/x.exe"`, "& 'C:/a b/x.exe'"},
		{"C:/it’s $x/y", "'C:/it’s $x/y'", `"C:/it’s $x/y"`, "& 'C:/it’’s $x/y'"},
		{"/it's", `'/it'\''s'`, `"/it's"`, "& '/it''s'"},
	} {
		if quoteSh(c.path) != c.sh || quoteCmd(c.path) != c.cmd || quotePowerShell(c.path) != c.powerShell {
			t.Errorf("%s: %s, %s, %s", c.path, quoteSh(c.path), quoteCmd(c.path), quotePowerShell(c.path))
		}
	}
	for i := range hosts {
		if h := &hosts[i]; h.Asks() && (windowsShells[h.Name] == "" || shellOf(h.Name, "windows") != windowsShells[h.Name] ||
			shellOf(h.Name, "linux") != inSh) {
			t.Errorf("%s has no shell", h.Name)
		}
	}
}

func TestCommandsThatNoLineHoldsAreRefused(t *testing.T) {
	f := &hosts[0].Project[1]
	for _, command := range []string{"", "/a\nb", "/a\rb", "/a\tb", "/a\x00b", "/a\x1bb", "/a\u2028b", "/a\u0085b", "/\xff"} {
		if after, err := f.Install(Text{}, nil, command); err == nil || after.There {
			t.Errorf("%q is installed: %v", command, err)
		}
	}
	for _, c := range []struct {
		command, system string
		ok              bool
	}{{`C:\100%\x`, "windows", false}, {"/100%/x", "linux", true}, {`C:\a&b\x`, "windows", true}} {
		if err := checkCommand(c.command, c.system); (err == nil) != c.ok {
			t.Errorf("%s on %s: %v", c.command, c.system, err)
		}
	}
	for _, path := range hostilePaths { // each stands whole in what is written
		if checkCommand(path, runtime.GOOS) != nil {
			continue // refused on this system
		}
		after, err := f.Install(Text{}, nil, path)
		says, wrong := f.values(after.Text)
		if err != nil || wrong != nil {
			t.Fatalf("%s: %v, %v", path, err, wrong)
		}
		group := says["hooks"].(map[string]any)["SessionStart"].([]any)[0].(map[string]any)["hooks"].([]any)[0].(map[string]any)
		if got := group["command"]; got != quoteSh(path)+" hook session-start --host claude-code" {
			t.Errorf("%s: %v", path, got)
		}
		if back, err := f.Remove(after, nil, path); err != nil || back.There && !strings.HasPrefix(back.Text, "{") {
			t.Errorf("%s, removed: %v, %v", path, err, back)
		}
	}
}
