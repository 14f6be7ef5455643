package host

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/block"
)

// The configuration of a server in the forms that several hosts share. The marks for the command are in quote.go.
// A host continues without an answer after 5 seconds; the program itself stops after 300 ms.
const (
	server      = `{"command": "$BRV", "args": ["mcp"]}`
	stdioServer = `{"type": "stdio", "command": "$BRV", "args": ["mcp"]}`
)

// hosts holds the programs that brv-lsp can be installed into.
var hosts = []Host{
	{
		Name: "claude-code", Title: "Claude Code",
		events: claude, answers: []string{"hookSpecificOutput.additionalContext"},
		named: "hookSpecificOutput.hookEventName",
		Project: []File{
			{Path: ".mcp.json", edits: one(server, "mcpServers", "brv")},
			{Path: ".claude/settings.local.json", edits: claudeHooks, local: true},
		},
		User: []File{
			{Path: "~/.claude.json", edits: one(stdioServer, "mcpServers", "brv")},
			{Path: "~/.claude/settings.json", edits: claudeHooks},
		},
		Note: "start a new session; in a project, allow the server of .mcp.json when you are asked.",
	},
	{
		Name: "codex", Title: "Codex",
		events: claude, answers: []string{"hookSpecificOutput.additionalContext"},
		named:   "hookSpecificOutput.hookEventName",
		Project: codexFiles, User: home(codexFiles),
		Note: "Codex reads a project's files once you trust it, and runs a hook once you review it with /hooks.",
	},
	{
		Name: "cursor", Title: "Cursor",
		events:  cursor,
		answers: []string{"additional_context"}, silence: "{}\n",
		Project: cursorFiles, User: home(cursorFiles),
		Note: "Cursor's hooks cannot add text to a prompt; use the server's tools and `brv-lsp export` instead.",
	},
	{
		Name: "copilot", Title: "GitHub Copilot and VS Code",
		events:  claude,
		answers: []string{"additionalContext", "hookSpecificOutput.additionalContext"},
		named:   "hookSpecificOutput.hookEventName",
		Project: []File{
			{Path: ".vscode/mcp.json", edits: one(
				`{"type": "stdio", "command": "$BRV", "args": ["mcp", "--root", "${workspaceFolder}"]}`, "servers", "brv")},
			{Path: ".github/mcp.json", edits: copilotServer},
			{Path: ".github/hooks/brv-lsp.json", edits: hooks("copilot", claude, shells, "")},
		},
		User: []File{
			{Path: "~/.copilot/mcp-config.json", edits: copilotServer},
			{Path: "~/.copilot/hooks/brv-lsp.json", edits: hooks("copilot", claude, shells, "")},
		},
		Note: "Copilot reads a project's files once you trust its folder.",
	},
	{
		Name: "gemini", Title: "Gemini CLI",
		events:  gemini,
		answers: []string{"hookSpecificOutput.additionalContext"}, named: "hookSpecificOutput.hookEventName",
		Project: geminiFiles, User: home(geminiFiles),
	},
	{
		Name: "continue", Title: "Continue",
		Project: []File{{Path: ".continue/mcpServers/brv.yaml", style: &block.Hash, body: `name: brv
version: 0.0.1
schema: v1
mcpServers:
  - name: brv
    command: "$BRV"
    args: [mcp]`}},
	},
	{
		Name: "zed", Title: "Zed",
		Project: []File{{Path: ".zed/settings.json", edits: zedServer}},
		User:    []File{{Path: "~/.config/zed/settings.json", edits: zedServer}},
	},
	{
		Name: "opencode", Title: "opencode",
		Project: []File{{Path: "opencode.json", edits: opencodeServer}},
		User:    []File{{Path: "~/.config/opencode/opencode.json", edits: opencodeServer}},
	},
	{
		Name: "nvim", Title: "Neovim",
		User: []File{{Path: "~/.config/nvim/plugin/brv-lsp.lua", style: &block.Lua,
			body: `vim.api.nvim_create_autocmd('FileType', {
  callback = function(event)
    local top = vim.fs.find('.brv', { upward = true, path = vim.api.nvim_buf_get_name(event.buf) })[1]
    if top and vim.bo[event.buf].buftype == '' then
      vim.lsp.start({ name = 'brv', cmd = { "$BRV" }, root_dir = vim.fs.dirname(top) })
    end
  end,
})`}},
		Note: "needs Neovim 0.8 or later; a plugin adds commands: https://github.com/brv-lsp/brv-lsp/tree/main/editor/nvim",
	},
	{
		Name: "helix", Title: "Helix",
		Project: []File{tomlFile(".helix/languages.toml", helixTables...)},
		User:    []File{tomlFile("~/.config/helix/languages.toml", helixTables...)},
		Note: "if your languages.toml has a [[language]] for markdown, add \"brv\" to its language-servers and " +
			"remove the [[language]] from brv-lsp's block.",
	},
	{
		Name: "emacs", Title: "Emacs",
		User: []File{{Path: "~/.emacs.d/init.el", style: &block.Lisp, body: `(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((markdown-mode gfm-mode) . ("$BRV"))))`}},
		Note: "M-x eglot in an entry starts the server. For a mode for entries, see " +
			"https://github.com/brv-lsp/brv-lsp/tree/main/editor/emacs",
	},
	{
		Name: "git", Title: "git",
		Project: []File{{Path: ".git/hooks/pre-commit", style: &block.Hash, head: "#!/bin/sh\n",
			body: "[ ! -d .brv/context-tree ] || $LINE check >&2 || exit 1"}},
		Note: "if a commit fails because the context tree has errors, fix them, or skip the check with git commit --no-verify.",
	},
}

// Parts that are equal in a project and in the user's home.
var (
	claudeHooks = hooks("claude-code", claude, grouped, "Edit|Write|MultiEdit|NotebookEdit")
	codexFiles  = []File{
		tomlFile(".codex/config.toml", one(server, "mcp_servers", "brv")...),
		{Path: ".codex/hooks.json", edits: hooks("codex", claude, grouped, "apply_patch|Edit|Write")},
	}
	cursorFiles = []File{
		{Path: ".cursor/mcp.json", edits: one(server, "mcpServers", "brv")},
		{Path: ".cursor/hooks.json", edits: hooks("cursor", cursor, bare, "Write")},
	}
	geminiFiles = []File{{Path: ".gemini/settings.json",
		edits: append(one(server, "mcpServers", "brv"), hooks("gemini", gemini, inMillis, "write_file|replace")...)}}
	copilotServer  = one(`{"type": "local", "command": "$BRV", "args": ["mcp"], "tools": ["*"]}`, "mcpServers", "brv")
	zedServer      = one(`{"command": "$BRV", "args": ["mcp"], "env": {}}`, "context_servers", "brv")
	opencodeServer = one(`{"type": "local", "command": ["$BRV", "mcp"], "enabled": true}`, "mcp", "brv")
)

// home returns files of the same names in the user's home.
func home(files []File) []File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Path = "~/" + files[i].Path
	}
	return files
}

var helixTables = []edit{
	{at: []string{"language-server", "brv"}, value: `{"command": "$BRV"}`},
	{at: []string{"language"}, value: `{"name": "markdown", "language-servers": ["brv"], "roots": [".brv"]}`, mark: "brv"},
}

// claude holds the events of hosts that use Claude Code's names.
var claude = map[Event]string{SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit", PostEdit: "PostToolUse",
	PreCompact: "PreCompact"}

var gemini = map[Event]string{SessionStart: "SessionStart", UserPrompt: "BeforeAgent", PostEdit: "AfterTool",
	PreCompact: "PreCompress"}

var cursor = map[Event]string{SessionStart: "sessionStart", PostEdit: "postToolUse", PreCompact: "preCompact"}

// The forms of a hook: Claude Code's group with a matcher, and plain ones.
const (
	grouped  = `{$MATCHER"hooks": [{"type": "command", "command": "$COMMAND", "timeout": 5}]}`
	inMillis = `{$MATCHER"hooks": [{"type": "command", "command": "$COMMAND", "timeout": 5000}]}`
	bare     = `{$MATCHER"command": "$COMMAND", "timeout": 5}`
	shells   = `{"type": "command", "command": "$COMMAND", "bash": "$BASH", "powershell": "$PWSH", "timeoutSec": 5}`
)

// one returns the edit for a member.
func one(value string, at ...string) []edit { return []edit{{at: at, value: value}} }

// hooks returns the edits that make a host call at its events. tools are the host's names of the tools that edit
// files.
func hooks(host string, names map[Event]string, form, tools string) (edits []edit) {
	if form == bare || form == shells {
		edits = append(edits, edit{at: []string{"version"}, value: "1", given: true})
	}
	for _, e := range Events {
		matcher := ""
		if e == PostEdit {
			matcher = fmt.Sprintf("%q: %q, ", "matcher", tools)
		}
		mark := fmt.Sprintf(" hook %s --host %s", e, host)
		if names[e] != "" {
			value := strings.NewReplacer("$MATCHER", matcher, "$COMMAND", shellOf(host, runtime.GOOS)+mark,
				"$BASH", inSh+mark, "$PWSH", inPowerShell+mark).Replace(form)
			edits = append(edits, edit{at: []string{"hooks", names[e]}, value: value, mark: mark})
		}
	}
	return edits
}

// Find returns the host with a name.
func Find(name string) (*Host, error) {
	if i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == name }); i >= 0 {
		return &hosts[i], nil
	}
	return nil, fmt.Errorf("%q is not a host; the hosts are %s", name, strings.Join(Names(nil), ", "))
}

// Names lists the names of hosts.
func Names(which func(*Host) bool) (names []string) {
	for i := range hosts {
		if which == nil || which(&hosts[i]) {
			names = append(names, hosts[i].Name)
		}
	}
	return names
}
