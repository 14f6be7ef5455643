package host

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// configs makes configurations as people write them: comments, tabs, CRLF, trailing commas, a byte order mark, all in
// one line, without a line end; with and without the places where our keys go.
type configs struct {
	*rand.Rand
	nl, unit string
	flat     bool // in one line
	comments bool
	trailing bool
}

func (c *configs) gap(depth int) string {
	if c.flat {
		return []string{"", " ", "  "}[c.IntN(3)]
	}
	s := c.nl
	if c.comments && c.IntN(4) == 0 {
		s += strings.Repeat(c.unit, depth) + []string{"// note, \"x\": {", "/* a\tb } */"}[c.IntN(2)] + c.nl
	}
	return s + strings.Repeat(c.unit, depth)
}

var keys = []string{"mcpServers", "hooks", "servers", "context_servers", "mcp", "version", "theme", "ünï", `a\"b`}

func (c *configs) object(depth int) string {
	var members []string
	seen := map[string]bool{}
	for range c.IntN(5) {
		key := keys[c.IntN(len(keys))]
		if seen[key] {
			continue
		}
		seen[key] = true
		members = append(members, fmt.Sprintf(`"%s"%s:%s%s`, key, []string{"", " "}[c.IntN(2)],
			[]string{"", " ", "\t"}[c.IntN(3)], c.value(depth+1, key)))
	}
	return c.enclosed("{", "}", members, depth)
}

func (c *configs) enclosed(open, end string, items []string, depth int) string {
	var b strings.Builder
	b.WriteString(open)
	for i, m := range items {
		b.WriteString(c.gap(depth+1) + m)
		if i+1 < len(items) || c.trailing {
			b.WriteString(",")
		}
	}
	if len(items) > 0 || c.IntN(2) == 0 {
		b.WriteString(c.gap(depth))
	}
	return b.String() + end
}

func (c *configs) value(depth int, key string) string {
	switch {
	case key == "version":
		return "1"
	case key == "hooks" && depth == 1:
		var lists []string
		for _, name := range []string{"SessionStart", "PostToolUse", "sessionStart"} {
			if c.IntN(2) == 0 {
				var groups []string
				for range c.IntN(3) {
					groups = append(groups, c.object(depth+2))
				}
				lists = append(lists, fmt.Sprintf("%q: %s", name, c.enclosed("[", "]", groups, depth+1)))
			}
		}
		return c.enclosed("{", "}", lists, depth)
	case strings.HasPrefix(key, "mcp") || strings.HasSuffix(key, "ervers"):
		return c.object(depth)
	}
	return []string{`"x // no comment"`, "-1.5e3", "true", "null", `"\u00e9 }"`, "[1, 2]"}[c.IntN(6)]
}

func (c *configs) text() string {
	c.nl = []string{"\n", "\r\n"}[c.IntN(2)]
	c.unit = []string{"  ", "\t", "    ", " "}[c.IntN(4)]
	c.flat, c.comments, c.trailing = c.IntN(4) == 0, c.IntN(2) == 0, c.IntN(3) == 0
	if c.flat {
		c.comments = false
	}
	return []string{"", "", "", "\ufeff"}[c.IntN(4)] + []string{"", "", c.nl, "// top" + c.nl}[c.IntN(4)] + c.object(0) +
		[]string{"", c.nl, c.nl + c.nl}[c.IntN(3)]
}

// TestConfigurationsSurvive installs into 1,000 random files of each kind and removes it again: as they are, after
// somebody changed them meanwhile, and without the copy.
func TestConfigurationsSurvive(t *testing.T) {
	const command = `/opt/my tools/brv-lsp`
	r := rand.New(rand.NewPCG(7, 26))
	for n := range 1000 {
		h := &hosts[n%len(hosts)]
		files := append(append([]File{}, h.Project...), h.User...)
		f := &files[r.IntN(len(files))]
		before := Text{true, (&configs{Rand: r}).text()}
		if f.style != nil {
			mark := f.style.Open + "brv-lsp: " + []string{"begin", "end"}[r.IntN(2)]
			before.Text = []string{"", "a = 1", "n = nan\nd = 1979-05-27T07:32:00Z", "a = 1\r\n[x]\r\n",
				"# c\n\n[x]\ny = \"\"\"\nz\n\"\"\"\n", "# c\n" + mark + "\n[x]\n", mark}[r.IntN(7)]
			if strings.HasSuffix(f.Path, ".yaml") {
				before.Text = "# mine\n"
			}
			if f.Runs() {
				before.Text = []string{"#!/bin/sh", "#!/bin/bash -e\n" + before.Text,
					"#! /usr/bin/env bash\r\n" + before.Text}[r.IntN(3)]
			}
		}
		if r.IntN(20) == 0 {
			before = Text{}
		}
		fail := func(what string, got Text, err error) {
			t.Helper()
			t.Fatalf("%d, %s %s: %s: %v\nbefore:\n%q\ngot:\n%q", n, h.Name, f.Path, what, err, before.Text, got.Text)
		}
		copied := &before
		if !before.There {
			copied = nil
		}
		after, err := f.Install(before, nil, command)
		if err != nil {
			fail("install", after, err)
		}
		if !f.Holds(after, command) {
			fail("is not installed", after, nil)
		}
		if again, err := f.Install(after, copied, command); err != nil || again != after {
			fail("is not idempotent", again, err)
		}
		if back, err := f.Remove(after, copied, command); err != nil || back != before {
			fail("is not as it was", back, err)
		}
		if newer, err := f.Install(after, copied, "brv-lsp"); err != nil || f.Holds(newer, command) == false {
			fail("is not renewed", newer, err)
		} else if back, err := f.Remove(newer, copied, "brv-lsp"); err != nil || back != before {
			fail("renewed, is not as it was", back, err)
		}
		if before.There && !f.Holds(before, command) {
			own := "// mine"
			if f.style != nil {
				own = "\nmine = 1\n"
			}
			if f.isTOML() { // a key alone would be one of the block's table
				own = "\n[own]\nmine = 1\n"
			}
			changed := Text{true, after.Text + own}
			if back, err := f.Remove(changed, copied, command); err != nil || back.Text != before.Text+own {
				if f.style == nil || strings.HasSuffix(before.Text, "\n") {
					fail("changed meanwhile, is not as it was", back, err)
				}
			}
		}
		back, err := f.Remove(after, nil, command)
		if err != nil || f.Holds(back, command) || back.There && f.style == nil && !hasJSON(back.Text) {
			fail("without a copy", back, err)
		}
	}
}

func hasJSON(text string) bool {
	_, err := hujson.Parse([]byte(strings.TrimPrefix(text, "\ufeff")))
	return err == nil
}

// TestWhatOthersWroteStays has what stands where ours would: each is refused or stays, installed and removed.
func TestWhatOthersWroteStays(t *testing.T) {
	server, group := &hosts[0].Project[0], &hosts[0].Project[1]
	for _, c := range []struct {
		name, text, error, stays string
		file                     *File
	}{
		{"another program", `{"mcpServers": {"brv": {"command": "brv", "args": ["mcp"]}}}`,
			"mcpServers.brv exists", "", server},
		{"no server", `{"mcpServers": {"brv": "x"}}`, "mcpServers.brv exists", "", server},
		{"a hook in our group", `{"hooks": {"SessionStart": [{"hooks": [
	{"type": "command", "command": "/opt/brv-lsp hook session-start --host claude-code", "timeout": 5},
	{"type": "command", "command": "mine"}
]}]}}`, "", `"command": "mine"`, group},
		{"a hook before ours", `{"hooks": {"SessionStart": [{"hooks": [
	{"type": "command", "command": "mine"},
	{"type": "command", "command": "brv-lsp hook session-start --host claude-code", "timeout": 5}
]}]}}`, "", `"command": "mine"`, group},
	} {
		now := Text{true, c.text}
		after, err := c.file.Install(now, nil, "brv-lsp")
		back, wrong := c.file.Remove(now, nil, "brv-lsp")
		if c.error != "" {
			if err == nil || wrong == nil || !strings.Contains(err.Error(), c.error) || after != now ||
				back != now {
				t.Errorf("%s: %v, %v\n%s", c.name, err, wrong, after.Text)
			}
			continue
		}
		if err != nil || wrong != nil || !strings.Contains(after.Text, c.stays) || !strings.Contains(back.Text, c.stays) ||
			strings.Contains(back.Text, "session-start") || strings.Count(after.Text, "session-start") != 1 {
			t.Errorf("%s: %v, %v\n%s\n%s", c.name, err, wrong, after.Text, back.Text)
		}
	}
}

// TestWhatAUserAddedToAServerStays has servers as install wrote them, with what their user added since: a new program goes into them,
// and a removal gives back what was there before.
func TestWhatAUserAddedToAServerStays(t *testing.T) {
	const old, renewed = "/old/brv-lsp", `C:\new\brv-lsp.exe`
	for _, c := range []struct{ host, from, to string }{
		{"claude-code", `"brv": {`, "\"brv\": {\n\t\t\t// mine\n\t\t\t\"env\": {\"A\": \"$SHELL\", \"B\": \"${BRV}\"},"},
		{"claude-code", `"mcp"`, `"mcp", "--root", "${workspaceFolder}"`},
		{"claude-code", `"args": [`, `"disabled": true, "alwaysAllow": ["brv_read"], "args": [`},
		{"cursor", `"command"`, `"envFile": ".env", "command"`},
		{"copilot", `"type": "stdio",`, ``},
		{"gemini", `"brv": {`, `"brv": {"trust": true, "timeout": 9000, "cwd": "x",`},
		{"zed", `"env": {}`, `"env": {"BRV_LOG": "1"}, "enabled": false`},
		{"opencode", `"enabled": true`, `"enabled": false, "environment": {"A": "1"}, "timeout": 5`},
		{"opencode", `"mcp"` + "\n", `"mcp", "--root", "x"` + "\n"},
	} {
		h, err := Find(c.host)
		if err != nil {
			t.Fatal(err)
		}
		f := h.Project[0]
		before := Text{true, "// mine\n{\n\t\"theme\": 1, // x\n}\n"}
		now, err := f.Install(before, nil, old)
		if err != nil {
			t.Fatal(err)
		}
		f.Wrote, now.Text = old, strings.Replace(now.Text, c.from, c.to, 1)
		after, err := f.Install(now, &before, renewed)
		if err != nil || after.Text != strings.Replace(now.Text, old, `C:\\new\\brv-lsp.exe`, strings.Count(now.Text, old)) &&
			c.host != "gemini" || !strings.Contains(after.Text, c.to) || strings.Contains(after.Text, old) {
			t.Errorf("%s %s: %v\n%s", c.host, c.to, err, after.Text)
		}
		f.Wrote = renewed
		if again, err := f.Install(after, &before, renewed); err != nil || again != after {
			t.Errorf("%s %s, again: %v\n%s", c.host, c.to, err, again.Text)
		}
		if back, err := f.Remove(after, &before, renewed); err != nil || back != before {
			t.Errorf("%s %s, removed: %v\n%s", c.host, c.to, err, back.Text)
		}
		after.Text += "// later\n"
		if back, err := f.Remove(after, &before, renewed); err != nil || f.Holds(back, renewed) {
			t.Errorf("%s %s, removed later: %v\n%s", c.host, c.to, err, back.Text)
		}
	}
}

// TestOrderIsNoChange has a file that its host wrote anew, with a key of its own first.
func TestOrderIsNoChange(t *testing.T) {
	h, err := Find("opencode")
	if err != nil {
		t.Fatal(err)
	}
	now := Text{true, `{"$schema": "x",
	"mcp": {"brv": {"enabled": true, "type": "local", "command": ["brv-lsp", "mcp"]}}}`}
	if after, err := h.Project[0].Install(now, nil, "brv-lsp"); err != nil || after != now {
		t.Errorf("%v, %s", err, after.Text)
	}
}

// TestBlocksStandWhereTheyCan has files that a block would break, and blocks that others wrote in.
func TestBlocksStandWhereTheyCan(t *testing.T) {
	file := func(name string) *File {
		h, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return &h.Project[0]
	}
	const check = "# brv-lsp: begin\n[ ! -d .brv/context-tree ] || brv-lsp check >&2 || exit 1\n# brv-lsp: end\n"
	for _, c := range []struct{ host, text, want, error, removed string }{
		{"git", "#!/bin/sh -e\nexec mine\n", "#!/bin/sh -e\n" + check + "exec mine\n", "", ""},
		{"git", "#!/usr/bin/env python3\nx()\n", "", "#!/usr/bin/env python3", "#!/usr/bin/env python3\nx()\n"},
		{"git", "#!/usr/bin/python3\nmine\n", "", "does not name sh or bash", "#!/usr/bin/python3\nmine\n"},
		{"git", "#!/bin/sh\n# brv-lsp: begin\nmine\n# brv-lsp: end\n", "",
			`did not write: ["mine"]`, ""},
		{"codex", "[mcp_servers.brv]\ncommand = \"x\"\n", "", "mcp_servers.brv already exists but does not start brv-lsp; remove it first", ""},
		{"codex", "[ mcp_servers . \"brv\" ] # mine\n", "", "brv", ""},
		{"codex", "model = \"x\"\nmcp_servers.brv.command = \"z\"\n", "", "mcp_servers.brv already exists", ""},
		{"codex", "mcp_servers = { a = { command = \"b\" } }\n",
			"mcp_servers = { brv = { command = \"brv-lsp\", args = [\"mcp\"] }, a = { command = \"b\" } }\n", "", ""},
		{"codex", "mcp_servers = 1\n", "", "mcp_servers already exists", ""},
		{"codex", "[[mcp_servers]]\n", "", "mcp_servers already exists", ""},
		{"codex", "a = 1\nmodel = = \"y\"\n", "", "the file is not valid TOML: line 2: ", ""},
		{"codex", "x = \"\"\"\n", "", "is not valid TOML: line ", ""},
		{"codex", "x = \"\"\"\n# brv-lsp: begin\n# brv-lsp: end\n\"\"\"\n", "", "inside another value", ""},
		{"codex", "y = 1\n# brv-lsp: begin\n[mcp_servers.brv]\ncommand = \"b\"\nargs = [\"mcp\"]\n# brv-lsp: end\nenv = {A = \"b\"}\n", "",
			"mcp_servers.brv already exists", ""},
		{"codex", "[mcp_servers.brv]\n# brv-lsp: begin\n[mcp_servers.brv]\n# brv-lsp: end\n", "", "brv", "[mcp_servers.brv]\n"},
		{"codex", "mcp_servers = {}\n# brv-lsp: begin\n[mcp_servers.brv]\ncommand = \"brv-lsp\"\nargs = [\"mcp\"]\n# brv-lsp: end\n",
			"mcp_servers = { brv = { command = \"brv-lsp\", args = [\"mcp\"] }}\n", "", "mcp_servers = {}\n"}, // as an earlier version wrote it
		{"codex", "# brv-lsp: begin\nargs = [\"mcp\"]\nenv = {}\n# brv-lsp: end\n", "", `["env = {}"]`, ""},
		{"codex", "#" + strings.Repeat(" ", maxTOML), "", "the limit is ", ""},
		{"helix", "[language-server.brv]\ncommand = \"x\"\n", "", "language-server.brv already exists", ""},
		{"helix", "language-server = { gopls = { command = \"gopls\" } }\n", "language-server = { brv = { command = \"brv-lsp\" }, " +
			"gopls = { command = \"gopls\" } }\n# brv-lsp: begin\n[[language]]\nname = \"markdown\"\n" +
			"language-servers = [\"brv\"]\nroots = [\".brv\"]\n# brv-lsp: end\n", "", ""},
		{"helix", "language = [{ name = \"go\" }]\n", "", "[language], [language-server]", ""},
		{"continue", "name: mine\n", "", `already contains "name: mine"`, ""},
	} {
		now := Text{true, c.text}
		after, err := file(c.host).Install(now, nil, "brv-lsp")
		if c.error == "" && (err != nil || after.Text != c.want) {
			t.Errorf("%s %q: %v\n%s", c.host, c.text, err, after.Text)
		} else if c.error != "" && (err == nil || after != now || !strings.Contains(err.Error(), c.error)) {
			t.Errorf("%s %q: %v\n%s", c.host, c.text, err, after.Text)
		}
		back, err := file(c.host).Remove(now, nil, "brv-lsp")
		if strings.Contains(c.error, "did not write") && err == nil || c.removed != "" && back.Text != c.removed {
			t.Errorf("%s %q, removed: %v\n%s", c.host, c.text, err, back.Text)
		}
	}
	if _, err := file("codex").Install(Text{true, "mcp_servers.a.command = \"b\"\n"}, nil, "brv-lsp"); err != nil {
		t.Error("a table may be added to what dotted keys define:", err)
	}
	for _, text := range []string{"[[language]]\nname = \"go\"\n", "\ufeff[editor]\n", "[[language]]\r\nname = \"markdown\"\r\n\r\n"} {
		after, err := file("helix").Install(Text{true, text}, nil, "brv-lsp")
		if err != nil || !strings.HasPrefix(after.Text, text) {
			t.Errorf("helix %q: %v\n%s", text, err, after.Text)
		}
	}
	if got := fill(`"$BRV"`, "/opt/a&b/<brv-lsp>"); got != `"/opt/a&b/<brv-lsp>"` {
		t.Errorf("a command is written as %s", got)
	}
}

// TestHooksOfOursAreAllTakenOut has one twice, as merged dotfiles have.
func TestHooksOfOursAreAllTakenOut(t *testing.T) {
	const one = `{"hooks": [{"type": "command", "command": "/opt/brv-lsp hook session-start --host claude-code", "timeout": 5}]}`
	now := Text{true, `{"hooks": {"SessionStart": [` + one + `, ` + one + `]}, "n": 1e999}`}
	f := &hosts[0].Project[1]
	after, err := f.Install(now, nil, "brv-lsp")
	if err != nil || strings.Count(after.Text, "session-start") != 1 {
		t.Errorf("%v\n%s", err, after.Text)
	}
	if back, err := f.Remove(now, nil, "brv-lsp"); err != nil || strings.Contains(back.Text, "session-start") {
		t.Errorf("%v\n%s", err, back.Text)
	}
}
