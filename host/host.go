// Package host knows the programs that run agents, and the editors, as one table (hosts): where each keeps its
// configuration and what stands there for brv-lsp; what it calls the events of a session, and how it takes an answer.
//
// [Plan] changes texts of configuration, and reads and writes no file. JSON is read with comments and trailing commas
// and changed by putting text in, never by writing it anew; TOML by what it means (toml.go); other formats get a marked block
// (package block). What was put in can be taken out again, byte for byte, as long as the copy of the old file is there, whatever else was changed
// meanwhile, and what was there before of it stays; without the copy the keys are cut out.
//
// Limits: [Read] believes nothing of an event but that it names a folder, a file or words; a configuration of more
// than 4 MiB or 1,000 levels is refused.
package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/block"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Event is a moment of a session at which a host asks.
type Event string

// The events.
const (
	SessionStart Event = "session-start"
	UserPrompt   Event = "user-prompt"
	PostEdit     Event = "post-edit"
	PreCompact   Event = "pre-compact"
)

// Events are all of them.
var Events = []Event{SessionStart, UserPrompt, PostEdit, PreCompact}

// Host is a program that brv-lsp is installed into.
type Host struct {
	Name    string // on the command line
	Title   string
	Project []File // configuration in the project's folder
	User    []File // in the user's home folder
	Note    string // what is left for the user to do

	events  map[Event]string // what it calls the events that it asks at
	answers []string         // where in its answer the text goes, dotted; none: it asks nothing
	named   string           // where the event's name goes, "" if nowhere
	silence string           // what it is told where there is nothing to say
}

// File is a file of configuration. Path begins with "~/" in [Host.User], where ~/.config is the user's own folder of
// configuration.
type File struct {
	Path   string
	style  *block.Style // of a block; nil: JSON
	body   string       // of the block; $BRV is the command
	head   string       // of a block's file that is new
	edits  []edit       // of JSON
	tables []edit       // of TOML
	local  bool         // of a project, and not for others who have it

	Wrote string // the program that install wrote here the last time, "" if that is not known
}

// Text is a file's text; There is false, and the text "", where no file is.
type Text struct {
	There bool
	Text  string
}

// Runs reports whether a file is a program.
func (f *File) Runs() bool { return strings.HasPrefix(f.head, "#!") }

// Shared reports whether others who work on the project have the file too.
func (f *File) Shared() bool { return !f.local && !f.Runs() && !strings.HasPrefix(f.Path, "~/") }

// Asks reports whether a host asks at events.
func (h *Host) Asks() bool { return len(h.answers) > 0 }

// Asked is a host's data about an event.
type Asked struct {
	Session string   // names the session, "" if it has no name
	Dir     string   // the folder it is in, "" if it is not told
	Prompt  string   // what the user wrote
	Files   []string // what was edited
	Source  string   // why a session starts: startup, resume, clear, compact
}

// Hosts call the same things by different names.
var (
	sessionKeys = []string{"session_id", "sessionId", "conversation_id"}
	dirKeys     = []string{"cwd", "workspace_roots.0"}
	promptKeys  = []string{"prompt"}
	sourceKeys  = []string{"source", "trigger"}
	fileKeys    = []string{"file_path", "tool_input.file_path", "tool_input.filePath", "tool_input.path",
		"tool_input.notebook_path", "toolArgs.path", "toolArgs.file_path", "toolArgs.filePath"}
	patchKeys = []string{"tool_input.input", "tool_input.command", "tool_input.patch"}
)

// Read reads what a host tells of an event, in whatever host's names.
func Read(data []byte) (Asked, error) {
	var all map[string]any
	if err := json.Unmarshal(markdown.WithoutMarks(data), &all); err != nil {
		return Asked{}, fmt.Errorf("the event on standard input is not a JSON object: %w", err)
	}
	if args, ok := all["toolArgs"].(string); ok { // JSON in a string
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

// maxPatched is how many files of one patch are looked at.
const maxPatched = 20

// patched are the files of a patch in the form that Codex's tool takes.
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

// lookup is a value by a dotted path; a number is a place in a list.
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

// Answer is the answer to a host's event: a text for the model, or nothing.
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
	out, _ := json.Marshal(answer) // strings marshal
	return string(out) + "\n"
}

// notOurs is said of a block that others wrote in.
const notOurs = "the block of brv-lsp has lines that it did not write: %q; move them out of the block"

// extra are the lines of a text's block, and of a second one, that are not of it, whatever the command.
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
