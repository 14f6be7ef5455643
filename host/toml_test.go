package host

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// tomls are the files of TOML by their host.
func tomls(t testing.TB) map[string]File {
	t.Helper()
	files := map[string]File{}
	for _, name := range []string{"codex", "helix"} {
		h, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = h.Project[0]
	}
	return files
}

// forms are files in which the tables stand that ours go into, written in all ways.
var forms = map[string][]string{
	"codex": {
		"", "model = \"x\"", "mcp_servers = {}\n", "mcp_servers = { }\n", "mcp_servers={a={command=\"b\"}}\n",
		"mcp_servers = { a = { command = \"b\", env = { X = \"}\" } }, \"c.d\" = { url = 'u' } } # mine\n[x]\ny = 1\n",
		"mcp_servers.a.command = \"b\"\n", "mcp_servers.a = { command = \"b\" }\n[x]\n", "[mcp_servers]\na = { command = \"b\" }\n",
		"[mcp_servers]\na.command = \"b\"\n\n[z]\n", "[mcp_servers.a]\ncommand = \"b\"\n[mcp_servers.a.env]\nX = \"1\"\n",
		"\"mcp_servers\" = { a.command = \"b\" }\r\n", "[ 'mcp_servers' . a ]\r\ncommand = \"b\"\r\n", "[mcp_servers]\n",
		"x = \"\"\"\nmcp_servers = { }\n[mcp_servers.brv]\n\"\"\"\n", "# mcp_servers.brv = {}\n[[list]]\n[[list]]\n", "\ufeffa = 1\n",
		"[profiles.x]\nmcp_servers = { brv = { command = \"q\" } }\n", "[x.mcp_servers.brv]\ncommand = 1\n",
	},
	"helix": {
		"", "language-server = { gopls = { command = \"gopls\" } }\n", "language-server.gopls.command = \"g\"\n",
		"[language-server]\ngopls = { command = \"gopls\" }\n[[language]]\nname = \"go\"\n[language.formatter]\ncommand = \"f\"\n",
		"[[language]]\nname = \"markdown\"\nlanguage-servers = [\"marksman\"]\n", "[language-server.gopls]\ncommand = \"g\"",
	},
}

// survives installs into a text, renews the program, and removes it.
func survives(t *testing.T, f File, text string) {
	t.Helper()
	const command = `/opt/my tools/brv-lsp`
	before := Text{true, text}
	fail := func(what string, got Text, err error) {
		t.Helper()
		t.Fatalf("%s %s: %v\nbefore:\n%s\ngot:\n%s", f.Path, what, err, text, got.Text)
	}
	after, err := f.Install(before, nil, command)
	if err != nil {
		fail("install", after, err)
	}
	var was, is map[string]any
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(after.Text, "\ufeff")), &is); err != nil {
		fail("is no TOML", after, err)
	}
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &was); err != nil {
		fail("was no TOML", after, err)
	}
	if v, _ := f.tables[0].member(is).(map[string]any); v["command"] != command {
		fail("does not start the program", after, nil)
	}
	if f.drop(is, command); !equal(filled(was), filled(is)) {
		fail("says something else", after, nil)
	}
	if again, err := f.Install(after, &before, command); err != nil || again != after {
		fail("again", again, err)
	}
	newer, err := f.Install(after, &before, "/new/brv-lsp")
	if err != nil || newer.Text != strings.Replace(after.Text, command, "/new/brv-lsp", 1) {
		fail("is not renewed", newer, err)
	}
	if back, err := f.Remove(newer, &before, "/new/brv-lsp"); err != nil || back != before {
		fail("is not as it was", back, err)
	}
	if back, err := f.Remove(after, nil, command); err != nil || back.Text != text {
		fail("without a copy", back, err)
	}
	last := "[later.x]\ny = 1\n"
	changed := Text{true, strings.TrimSuffix(after.Text, "\n") + "\n" + last}
	if again, err := f.Install(changed, &before, command); err != nil || again != changed {
		fail("changed meanwhile", again, err)
	}
	if back, err := f.Remove(changed, &before, command); err != nil || strings.TrimSuffix(back.Text, last) != text &&
		strings.HasSuffix(text, "\n") {
		fail("changed meanwhile, is not as it was", back, err)
	}
}

func TestTablesGoWhereTheirParentsAre(t *testing.T) {
	files := tomls(t)
	for host, texts := range forms {
		for _, text := range texts {
			survives(t, files[host], text)
		}
	}
}

// TestServersInTOMLAreRenewedInPlace has servers of ours in all forms, as users and hosts write them. The program alone changes,
// and a removal takes out the server and nothing else.
func TestServersInTOMLAreRenewedInPlace(t *testing.T) {
	const args = `args = ["mcp"]` + "\n"
	const begin, end = "# brv-lsp: begin\n", "# brv-lsp: end\n"
	f := tomls(t)["codex"]
	for _, c := range []struct{ text, rest string }{
		{"[mcp_servers.brv]\ncommand = \"$\"\n" + args, ""},
		{"[mcp_servers]\nbrv = { command = '$', args = ['mcp'] } # mine\na = { url = \"u\" }\n", "[mcp_servers]\na = { url = \"u\" }\n"},
		{"mcp_servers = { a = { url = \"u\" }, brv = { args = [\"mcp\", \"--root\", \"x\"], command = \"$\" } }\n",
			"mcp_servers = { a = { url = \"u\" } }\n"},
		{"mcp_servers = { a = {}, brv = { args = [\"mcp\"], command = \"$\" }, c = {} }\n", "mcp_servers = { a = {}, c = {} }\n"},
		{"mcp_servers.brv.command = \"$\"\nmcp_servers.brv.args = [ # x\n \"mcp\" ]\nmodel = \"m\"\n", "model = \"m\"\n"},
		{"[mcp_servers.brv]\n" + args + "command = \"\"\"$\"\"\"\nenv = { A = \"$SHELL\" }\n[x]\n", "[x]\n"},
		{"a = 1\n\n[mcp_servers.\"brv\"]\ncommand = \"$\"\n" + args + "[mcp_servers.brv.env]\nA = \"b\"\n\n[x]\n", "a = 1\n\n[x]\n"},
		{"a = 1\n" + begin + "[mcp_servers.brv]\ncommand = \"$\"\n" + args + end, "a = 1\n"},
		{"a = 1\n" + begin + "[mcp_servers.brv]\ncommand = \"$\"\n" + args + "env = { A = \"b\" }\n" + end, "a = 1\n"},
		{"a = 1\n" + begin + "[mcp_servers.brv]\ncommand = \"$\"\n" + args + end + "env = { A = \"b\" }\nenabled = false\n[x]\n", "a = 1\n[x]\n"},
		{"a = 1\n" + begin + "[mcp_servers.brv]\ncommand = \"$\"\n" + args + end + "[mcp_servers.brv.env]\nA = \"b\"\n", "a = 1\n"},
		{begin + "[mcp_servers.brv]\ncommand = \"$\"\n" + args + "[mcp_servers.brv.tools.brv_read]\napproval_mode = \"approve\"\n\n" +
			"[mcp_servers.new]\ncommand = \"n\"\n" + end + "[x]\n", "\n[mcp_servers.new]\ncommand = \"n\"\n[x]\n"}, // as Codex adds one
		{"[mcp_servers.brv]\r\ncommand = \"$\"\r\nargs = [\"mcp\"]\r\n\r\n[x]\r\n", "\r\n[x]\r\n"},
	} {
		now := Text{true, strings.Replace(c.text, "$", "/old/brv-lsp", 1)}
		own := f
		own.Wrote = "/old/brv-lsp"
		after, err := own.Install(now, &Text{true, c.rest}, `C:\new\brv-lsp.exe`)
		var says map[string]any
		wrong := toml.Unmarshal([]byte(after.Text), &says)
		server, _ := own.tables[0].member(says).(map[string]any)
		if err != nil || wrong != nil || server["command"] != `C:\new\brv-lsp.exe` || len(after.Text) < len(now.Text) ||
			strings.Count(after.Text, "\n") != strings.Count(now.Text, "\n") {
			t.Errorf("%q: %v, %v\n%s", c.text, err, wrong, after.Text)
		}
		if back, err := own.Remove(now, nil, "/old/brv-lsp"); err != nil || back.Text != c.rest {
			t.Errorf("%q, removed: %v\n%q", c.text, err, back.Text)
		}
		if back, err := own.Remove(after, &now, `C:\new\brv-lsp.exe`); err != nil || back.Text != now.Text &&
			!strings.Contains(c.text, "'$'") && !strings.Contains(c.text, `"""`) {
			t.Errorf("%q, given back: %v\n%q", c.text, err, back.Text)
		}
	}
	helix := tomls(t)["helix"]
	for _, text := range []string{
		"[language-server.brv]\ncommand = \"brv-lsp\"\n[[language]]\nname = \"markdown\"\nlanguage-servers = [\"marksman\", \"brv\"]\n",
		"[[language]]\nname = \"x\"\n[[language]]\nname = \"markdown\"\nlanguage-servers = [{ name = \"brv\" }]\n" +
			"[language-server]\nbrv = { command = \"brv-lsp\", config = { a = 1 } }\n",
	} {
		after, err := helix.Install(Text{true, text}, nil, "brv-lsp")
		back, wrong := helix.Remove(Text{true, text}, nil, "brv-lsp")
		if err != nil || after.Text != text || wrong != nil || !strings.Contains(back.Text, "markdown") || strings.Contains(back.Text, "command") {
			t.Errorf("%q: %v, %v\n%s", text, err, wrong, back.Text)
		}
	}
}

// randomTOML makes a configuration as people write them.
func randomTOML(r *rand.Rand, host string) string {
	some := func(of ...string) string { return of[r.IntN(len(of))] }
	value := func() string {
		return some(`"x # } ]"`, `'''`+"\n[mcp_servers.brv]\n"+`'''`, "1_000", "0x1f", "nan", "1979-05-27T07:32:00Z", "true", `["a", "]"]`,
			"[ # c\n  1,\n  2, # d\n]", `{ x = 1, y.z = "}" }`, `"""`+"\n# brv-lsp: x\n"+`"""`)
	}
	server := func() string {
		return some(`{ command = "b" }`, `{command="b",args=["}"]}`, `{ url = 'u', env = { A = "1" } }`)
	}
	parent := map[string]string{"codex": "mcp_servers", "helix": "language-server"}[host]
	var b strings.Builder
	b.WriteString(some("", "", "# top\n", "\ufeff", "\n"))
	for i := range r.IntN(4) {
		fmt.Fprintf(&b, "%s%s = %s%s\n", some("", "  "), some(`k`, `"k q"`, `'k.'`, `k.k`)+"."+fmt.Sprint(i), value(), some("", " # note"))
	}
	switch r.IntN(7) {
	case 0:
		fmt.Fprintf(&b, "%s = {%s}\n", parent, some("", "  "))
	case 1:
		fmt.Fprintf(&b, "%s = { a = %s,%s\"b c\" = %s }%s\n", parent, server(), some(" ", ""), server(), some("", " # {"))
	case 2:
		fmt.Fprintf(&b, "%s.a.command = \"b\"\n%s.\"c d\" = %s\n", parent, parent, server())
	case 3:
		fmt.Fprintf(&b, "[%s]\na = %s\nb.command = \"b\"\n", parent, server())
	case 4:
		fmt.Fprintf(&b, "[ %s . a ]\ncommand = %s\n", parent, `"b"`)
	}
	for i := range r.IntN(4) {
		fmt.Fprintf(&b, "%s[t%d.%s]\n", some("", "\n", "# note\n"), i, some("x", `"y z"`))
		for j := range r.IntN(3) {
			fmt.Fprintf(&b, "v%d = %s\n", j, value())
		}
	}
	if host == "helix" && r.IntN(2) == 0 {
		b.WriteString("[[language]]\nname = \"go\"\n" + some("", "[language.formatter]\ncommand = \"f\"\n"))
	}
	text := b.String()
	if r.IntN(3) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if r.IntN(4) == 0 {
		text = strings.TrimRight(text, "\r\n")
	}
	return text
}

func TestRandomTOMLSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 6))
	files := tomls(t)
	for n := range 400 {
		host := []string{"codex", "helix"}[n%2]
		survives(t, files[host], randomTOML(r, host))
	}
}

// FuzzTOML has texts that may be none: what is refused stays, and what is written is TOML, says no less, and comes out again.
func FuzzTOML(f *testing.F) {
	for _, texts := range forms {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Add("# brv-lsp: begin\n[mcp_servers.brv]\n# brv-lsp: end\n")
	files := tomls(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range files {
			before := Text{true, text}
			after, err := file.Install(before, nil, "brv-lsp")
			if err != nil {
				if after != before {
					t.Fatalf("%q is refused and changed: %v\n%q", text, err, after.Text)
				}
				continue
			}
			if says, err := file.values(after.Text); err != nil || !file.tables[0].starts(file.tables[0].member(says), "brv-lsp") {
				t.Fatalf("%q: %v\n%q", text, err, after.Text)
			}
			if back, err := file.Remove(after, &before, "brv-lsp"); err == nil && back != before {
				t.Fatalf("%q is not as it was:\n%q", text, back.Text)
			}
		}
	})
}
