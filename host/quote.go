package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks for the command in the values and blocks of the table.
const (
	inString     = "$BRV"        // inside a string of JSON, TOML, YAML, Lua or Lisp
	inScript     = "$LINE"       // as a word of a script for sh
	inSh         = "$SH"         // inside a string: the first word of a line that sh runs
	inCmd        = "$CMD"        // … that Windows' cmd runs
	inPowerShell = "$POWERSHELL" // … that PowerShell runs
)

// windowsShells names the shells that run a host's hooks on Windows. Other hosts use sh. Claude Code uses Git's
// sh.
var windowsShells = map[string]string{
	"claude-code": inSh, "codex": inPowerShell, "cursor": inCmd, "copilot": inPowerShell, "gemini": inPowerShell,
}

// shellOf returns the mark for the shell that runs a host's hooks.
func shellOf(host, system string) string {
	if system == "windows" {
		return windowsShells[host]
	}
	return inSh
}

// fill inserts the command into a value or a block.
func fill(value, command string) string {
	word := command
	if runtime.GOOS == "windows" {
		word = strings.ReplaceAll(command, `\`, "/") // a path without quotes for each of its shells
	}
	return strings.NewReplacer(inString, inside(command), inScript, quoteSh(word), inSh, inside(quoteSh(word)),
		inCmd, inside(quoteCmd(word)), inPowerShell, inside(quotePowerShell(word))).Replace(value)
}

// inside escapes a text for a JSON string. The result is valid in TOML, YAML, Lua and Lisp too.
func inside(s string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // some of the other languages have no \u0026
	_ = e.Encode(s)        // strings always marshal
	return strings.Trim(out.String(), "\n")[1 : out.Len()-2]
}

// isPlain reports whether a word has no special characters for any shell.
func isPlain(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-") == ""
}

func quoteSh(word string) string {
	if isPlain(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func quoteCmd(word string) string {
	if isPlain(word) {
		return word
	}
	return `"` + word + `"`
}

// quotePowerShell quotes a word and writes the operator & before it, since PowerShell treats a quoted word alone
// as a value. PowerShell accepts four typographic quotes as plain ones.
func quotePowerShell(word string) string {
	if isPlain(word) {
		return word
	}
	return "& '" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(word) + "'"
}

// checkCommand refuses a command that some configuration language cannot express.
func checkCommand(command, system string) error {
	const instead = "; move the program, or give another path with --command"
	breaks := func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }
	switch {
	case command == "":
		return errors.New("the command is empty; give the program with --command")
	case !utf8.ValidString(command) || strings.ContainsFunc(command, breaks):
		return fmt.Errorf("the program's path %q has a control character or is not UTF-8%s", command, instead)
	case system == "windows" && strings.ContainsAny(command, `"%`):
		return fmt.Errorf("the program's path %q has a character that cmd replaces even in quotes%s", command, instead)
	}
	return nil
}
