// Package host knows the editors and the programs that run agents. One table (hosts) tells where each keeps its
// configuration and what brv-lsp adds to it, the names of its events, and the form of answers to them.
//
// [File.Install] and [File.Remove] change texts of configuration; they read and write no file. JSON may have
// comments and trailing commas. It is changed by inserting text, and is never rewritten. TOML is changed by its
// meaning (toml.go). Other formats get a marked block (package block). An insertion can be removed byte for byte
// while the copy of the old file exists, whatever else has changed meanwhile; parts of ours that were there before
// stay. Without the copy, our keys are cut out.
//
// Limits: [Read] takes from an event only a folder, files and words. A configuration of more than 4 MiB or 1,000
// levels is refused.
package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Event is a moment in a session at which a host calls brv-lsp.
type Event string

// The events.
const (
	SessionStart Event = "session-start"
	UserPrompt   Event = "user-prompt"
	PostEdit     Event = "post-edit"
	PreCompact   Event = "pre-compact"
)

// Events holds all events.
var Events = []Event{SessionStart, UserPrompt, PostEdit, PreCompact}

// Host is a program that brv-lsp is installed into.
type Host struct {
	Name    string // on the command line
	Title   string
	Project []File // configuration in the project's folder
	User    []File // in the user's home folder
	Note    string // what the user still has to do

	events  map[Event]string // the host's names for the events at which it calls
	answers []string         // the places of the text in its answer, dotted; none if it does not call
	named   string           // the place of the event's name in the answer, "" if there is none
	silence string           // the answer without a text
}

// File is a configuration file. In [Host.User], Path begins with "~/", and ~/.config is the user's own folder of
// configuration.
type File struct {
	Path   string
	style  *block.Style // for a block; nil for JSON
	body   string       // for a block; $BRV is the command
	head   string       // the beginning of a new file with a block
	edits  []edit       // for JSON
	tables []edit       // for TOML
	local  bool         // in the project, but not shared with others

	Wrote string // the program that the last install wrote here, "" if it is not known
}

// Text is the text of a file. If the file does not exist, There is false and Text is "".
type Text struct {
	There bool
	Text  string
}

// Runs reports whether a file is executable.
func (f *File) Runs() bool { return strings.HasPrefix(f.head, "#!") }

// Shared reports whether others who work on the project get the file too.
func (f *File) Shared() bool { return !f.local && !f.Runs() && !strings.HasPrefix(f.Path, "~/") }

// Asks reports whether a host calls at events.
func (h *Host) Asks() bool { return len(h.answers) > 0 }

// Asked holds a host's data about an event.
type Asked struct {
	Session string   // the session's name, "" if it has none
	Dir     string   // its folder, "" if it is not given
	Prompt  string   // what the user wrote
	Files   []string // the edited files
	Source  string   // why a session starts: startup, resume, clear, compact
}

// The names that hosts use for the same fields.
var (
	sessionKeys = []string{"session_id", "sessionId", "conversation_id"}
	dirKeys     = []string{"cwd", "workspace_roots.0"}
	promptKeys  = []string{"prompt"}
	sourceKeys  = []string{"source", "trigger"}
	fileKeys    = []string{"file_path", "tool_input.file_path", "tool_input.filePath", "tool_input.path",
		"tool_input.notebook_path", "toolArgs.path", "toolArgs.file_path", "toolArgs.filePath"}
	patchKeys = []string{"tool_input.input", "tool_input.command", "tool_input.patch"}
)

// Read parses a host's data about an event, with the field names of any host.
func Read(data []byte) (Asked, error) {
	var all map[string]any
	if err := json.Unmarshal(markdown.WithoutMarks(data), &all); err != nil {
		return Asked{}, fmt.Errorf("the event on standard input is not a JSON object: %w", err)
	}
	if args, ok := all["toolArgs"].(string); ok { // a string that contains JSON
		var parsed map[string]any
		if json.Unmarshal([]byte(args), &parsed) == nil {
			all["toolArgs"] = parsed
		}
	}
	first := func(keys []string) string {
		for _, k := range keys {
			if s, ok := lookup(all, k).(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	a := Asked{Session: first(sessionKeys), Dir: first(dirKeys), Prompt: first(promptKeys), Source: first(sourceKeys)}
	if f := first(fileKeys); f != "" {
		a.Files = []string{f}
	} else {
		a.Files = patched(first(patchKeys))
	}
	return a, nil
}

// maxPatched bounds how many files of one patch are read.
const maxPatched = 20

// patched returns the files of a patch in the format of Codex's tool.
func patched(patch string) (files []string) {
	for line := range strings.Lines(patch) {
		for _, verb := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if f, ok := strings.CutPrefix(strings.TrimSpace(line), verb); ok && len(files) < maxPatched {
				files = append(files, f)
			}
		}
	}
	return files
}

// lookup returns the value at a dotted path; a number is an index in a list.
func lookup(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			if len(x) == 0 {
				return nil
			}
			v = x[0]
		default:
			return nil
		}
	}
	return v
}

// Answer returns the answer to a host's event, with a text for the model or without one.
func (h *Host) Answer(e Event, text string) string {
	name, asks := h.events[e]
	if text == "" || !asks {
		return h.silence
	}
	answer := map[string]any{}
	put := func(path, value string) {
		at := answer
		keys := strings.Split(path, ".")
		for _, k := range keys[:len(keys)-1] {
			if at[k] == nil {
				at[k] = map[string]any{}
			}
			at = at[k].(map[string]any)
		}
		at[keys[len(keys)-1]] = value
	}
	for _, path := range h.answers {
		put(path, text)
	}
	if h.named != "" {
		put(h.named, name)
	}
	out, _ := json.Marshal(answer) // strings always marshal
	return string(out) + "\n"
}

// notOurs is the message about a block that others changed.
const notOurs = "brv-lsp's block has lines that brv-lsp did not write: %q; move them out of the block"

// extra returns the lines in a text's block, or in a second block, that brv-lsp did not write for any command.
func (f *File) extra(text string) (lines []string) {
	var bodies strings.Builder
	for start, end := f.style.Span(text); start >= 0; start, end = f.style.Span(text) {
		body, _ := f.style.Body(text)
		bodies.WriteString(body)
		text = text[end:]
	}
	for line := range strings.SplitSeq(bodies.String(), "\n") {
		ours := func(o string) bool {
			before, behind, command := strings.Cut(strings.Replace(o, inScript, inString, 1), inString)
			return line == o || command && len(line) >= len(before)+len(behind) &&
				strings.HasPrefix(line, before) && strings.HasSuffix(line, behind)
		}
		if strings.TrimSpace(line) != "" && !slices.ContainsFunc(strings.Split(f.body, "\n"), ours) {
			lines = append(lines, line)
		}
	}
	return lines
}
