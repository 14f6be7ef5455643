package host

import (
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/block"
)

// What stands for the command in values: as it is, and inside of a JSON string; and the same with the arguments that
// answer an event.
const (
	commandMark = "$BRV"
	timeLimit   = 5 // seconds after which a host goes on without an answer; the program itself takes 300 ms
)

// The configuration of a server in the forms that several hosts share.
const (
	server      = `{"command": "$BRV", "args": ["mcp"]}`
	stdioServer = `{"type": "stdio", "command": "$BRV", "args": ["mcp"]}`
)

// Hosts are the programs, by name.
var Hosts = []Host{
	{
		Name: "claude-code", Title: "Claude Code",
		events: camel("PostToolUse"), answers: []string{"hookSpecificOutput.additionalContext"},
		named: "hookSpecificOutput.hookEventName",
		Project: []File{
			{Path: ".mcp.json", edits: []edit{member(server, "mcpServers", "brv")}},
			{Path: ".claude/settings.local.json", edits: nested("claude-code", "Edit|Write|MultiEdit|NotebookEdit", timeLimit)},
		},
		User: []File{
			{Path: "~/.claude.json", edits: []edit{member(stdioServer, "mcpServers", "brv")}},
			{Path: "~/.claude/settings.json", edits: nested("claude-code", "Edit|Write|MultiEdit|NotebookEdit", timeLimit)},
		},
		Note: "start a new session, and allow the server of .mcp.json when you are asked.",
	},
	{
		Name: "codex", Title: "Codex",
		events: camel("PostToolUse"), answers: []string{"hookSpecificOutput.additionalContext"},
		named: "hookSpecificOutput.hookEventName",
		Project: []File{
			{Path: ".codex/config.toml", style: &block.Hash, body: codexServer},
			{Path: ".codex/hooks.json", edits: nested("codex", "apply_patch|Edit|Write", timeLimit)},
		},
		User: []File{
			{Path: "~/.codex/config.toml", style: &block.Hash, body: codexServer},
			{Path: "~/.codex/hooks.json", edits: nested("codex", "apply_patch|Edit|Write", timeLimit)},
		},
		Note: "Codex runs hooks of a project that you trust; older versions also need codex_hooks = true under [features].",
	},
	{
		Name: "cursor", Title: "Cursor",
		events:  map[Event]string{SessionStart: "sessionStart", PostEdit: "postToolUse", PreCompact: "preCompact"},
		answers: []string{"additional_context"}, silence: "{}\n",
		Project: []File{
			{Path: ".cursor/mcp.json", edits: []edit{member(server, "mcpServers", "brv")}},
			{Path: ".cursor/hooks.json", edits: cursorHooks()},
		},
		User: []File{
			{Path: "~/.cursor/mcp.json", edits: []edit{member(server, "mcpServers", "brv")}},
			{Path: "~/.cursor/hooks.json", edits: cursorHooks()},
		},
		Note: "Cursor takes no text for a prompt from a hook; there the tools of the server and `brv-lsp export` serve.",
	},
	{
		Name: "copilot", Title: "GitHub Copilot and VS Code",
		events:  camel("PostToolUse"),
		answers: []string{"additionalContext", "hookSpecificOutput.additionalContext"}, named: "hookSpecificOutput.hookEventName",
		Project: []File{
			{Path: ".vscode/mcp.json", edits: []edit{member(
				`{"type": "stdio", "command": "$BRV", "args": ["mcp", "--root", "${workspaceFolder}"]}`, "servers", "brv")}},
			{Path: ".github/hooks/brv-lsp.json", edits: copilotHooks()},
		},
		User: []File{
			{Path: "~/.copilot/mcp-config.json", edits: []edit{member(
				`{"type": "local", "command": "$BRV", "args": ["mcp"], "tools": ["*"]}`, "mcpServers", "brv")}},
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI",
		events: map[Event]string{SessionStart: "SessionStart", UserPrompt: "BeforeAgent", PostEdit: "AfterTool",
			PreCompact: "PreCompress"},
		answers: []string{"hookSpecificOutput.additionalContext"}, named: "hookSpecificOutput.hookEventName",
		Project: []File{{Path: ".gemini/settings.json", edits: geminiSettings()}},
		User:    []File{{Path: "~/.gemini/settings.json", edits: geminiSettings()}},
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
		Project: []File{{Path: ".zed/settings.json", edits: zedSettings()}},
		User:    []File{{Path: "~/.config/zed/settings.json", edits: zedSettings()}},
	},
	{
		Name: "opencode", Title: "opencode",
		Project: []File{{Path: "opencode.json", edits: opencodeServer()}},
		User:    []File{{Path: "~/.config/opencode/opencode.json", edits: opencodeServer()}},
	},
	{
		Name: "nvim", Title: "Neovim",
		User: []File{{Path: "~/.config/nvim/plugin/brv-lsp.lua", style: &block.Lua, body: `vim.api.nvim_create_autocmd('FileType', {
  callback = function(event)
    local top = vim.fs.find('.brv', { upward = true, path = vim.api.nvim_buf_get_name(event.buf) })[1]
    if top and vim.bo[event.buf].buftype == '' then
      vim.lsp.start({ name = 'brv', cmd = { "$BRV" }, root_dir = vim.fs.dirname(top) })
    end
  end,
})`}},
		Note: "needs Neovim 0.8; the plugin in editor/nvim has commands beside.",
	},
	{
		Name: "helix", Title: "Helix",
		Project: []File{{Path: ".helix/languages.toml", style: &block.Hash, body: helixServer}},
		User:    []File{{Path: "~/.config/helix/languages.toml", style: &block.Hash, body: helixServer}},
		Note:    "where your languages.toml has a [[language]] for markdown, add \"brv\" to its language-servers and remove the one of the block.",
	},
	{
		Name: "emacs", Title: "Emacs",
		User: []File{{Path: "~/.emacs.d/init.el", style: &block.Lisp, body: `(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '((markdown-mode gfm-mode) . ("$BRV"))))`}},
		Note: "M-x eglot in an entry starts the server; editor/emacs/brv.el has a mode for entries.",
	},
	{
		Name: "git", Title: "git",
		Project: []File{{Path: ".git/hooks/pre-commit", style: &block.Hash, head: "#!/bin/sh\n",
			body: "\"$BRV\" check >&2 || exit 1"}},
		Note: "commits then fail on errors of the context tree; git commit --no-verify passes one.",
	},
}

const codexServer = `[mcp_servers.brv]
command = "$BRV"
args = ["mcp"]`

const helixServer = `[language-server.brv]
command = "$BRV"

[[language]]
name = "markdown"
language-servers = ["brv"]
roots = [".brv"]`

// camel are the events of hosts that follow Claude Code's names.
func camel(edit string) map[Event]string {
	return map[Event]string{SessionStart: "SessionStart", UserPrompt: "UserPromptSubmit", PostEdit: edit, PreCompact: "PreCompact"}
}

// hookCommand is the command that answers an event, as part of a JSON string.
func hookCommand(e Event, host string) string { return fmt.Sprintf("$HOOK hook %s --host %s", e, host) }

// nested are the hooks of Claude Code and of those that took over its form: groups with a matcher.
func nested(host, editTools string, limit int) (edits []edit) {
	names := camel("PostToolUse")
	if host == "gemini" {
		names = map[Event]string{SessionStart: "SessionStart", UserPrompt: "BeforeAgent", PostEdit: "AfterTool",
			PreCompact: "PreCompress"}
	}
	for _, e := range Events {
		matcher := ""
		if e == PostEdit {
			matcher = fmt.Sprintf("%q: %q, ", "matcher", editTools)
		}
		edits = append(edits, element(hookCommand(e, host), fmt.Sprintf(
			`{%s"hooks": [{"type": "command", "command": "%s", "timeout": %d}]}`, matcher, hookCommand(e, host), limit), "hooks", names[e]))
	}
	return edits
}

func cursorHooks() []edit {
	edits := []edit{given("1", "version")}
	for _, e := range []Event{SessionStart, PostEdit, PreCompact} {
		name := map[Event]string{SessionStart: "sessionStart", PostEdit: "postToolUse", PreCompact: "preCompact"}[e]
		matcher := ""
		if e == PostEdit {
			matcher = `, "matcher": "Write"`
		}
		edits = append(edits, element(hookCommand(e, "cursor"), fmt.Sprintf(`{"command": "%s", "timeout": %d%s}`,
			hookCommand(e, "cursor"), timeLimit, matcher), "hooks", name))
	}
	return edits
}

func copilotHooks() []edit {
	edits := []edit{given("1", "version")}
	for _, e := range Events {
		c := hookCommand(e, "copilot")
		edits = append(edits, element(c, fmt.Sprintf(
			`{"type": "command", "command": "%s", "bash": "%s", "powershell": "%s", "timeoutSec": %d}`, c, c, c, timeLimit),
			"hooks", camel("PostToolUse")[e]))
	}
	return edits
}

// geminiSettings counts time in milliseconds.
func geminiSettings() []edit {
	return append([]edit{member(server, "mcpServers", "brv")}, nested("gemini", "write_file|replace", 1000*timeLimit)...)
}

func zedSettings() []edit {
	return []edit{
		member(`{"command": "$BRV", "args": ["mcp"], "env": {}}`, "context_servers", "brv"),
	}
}

func opencodeServer() []edit {
	return []edit{member(`{"type": "local", "command": ["$BRV", "mcp"], "enabled": true}`, "mcp", "brv")}
}
