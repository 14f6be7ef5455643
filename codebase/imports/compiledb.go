package imports

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// compileCommands holds the include folders that the folder's compile_commands.json files give to the compiler.
type compileCommands struct {
	byFile map[string][]string // in the compiler's order
	all    []string            // of all files, most frequent first; for headers, which have no command
}

// Limits for reading a compile_commands.json. They count entries of files that are not mapped too.
const (
	maxCommands      = 50_000
	maxCommandLength = 64 << 10 // bytes
)

// compileCommand is one item of the file. Arguments is the split form of Command.
type compileCommand struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

func readCompileCommands(r *Resolver) compileCommands {
	c := compileCommands{byFile: map[string][]string{}}
	counts := map[string]int{}
	lists := map[string][]string{} // one slice for all equal lists
	for _, p := range slices.Sorted(maps.Keys(r.configs.Texts)) {
		if path.Base(p) != "compile_commands.json" {
			continue
		}
		var commands []compileCommand
		_ = json.Unmarshal(markdown.WithoutMarks([]byte(r.configs.Texts[p])), &commands)
		for _, cmd := range commands[:min(len(commands), maxCommands)] {
			file, dirs := r.includeFolders(dirOf(p), cmd)
			if file == "" {
				continue
			}
			key := strings.Join(dirs, "\n")
			if _, ok := lists[key]; !ok {
				lists[key] = dirs
			}
			c.byFile[file] = lists[key]
			for _, d := range dirs {
				counts[d]++
			}
		}
	}
	c.all = slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return c
}

// includeFolders returns the mapped file of a command, and its include folders that are inside our folder. The
// paths are absolute, and the place of the folder when they were written is unknown. So the longest end of the
// file's path that is mapped is taken, and the rest in front of it is assumed to be that place.
func (r *Resolver) includeFolders(dbDir string, cmd compileCommand) (string, []string) {
	absolute := func(p string) string {
		if path.IsAbs(p) || isDrive(p) {
			return path.Clean(strings.ReplaceAll(p, `\`, "/"))
		}
		return path.Join(strings.ReplaceAll(cmd.Directory, `\`, "/"), strings.ReplaceAll(p, `\`, "/"))
	}
	top, file, ok := r.topOf(absolute(cmd.File), dbDir)
	if !ok {
		return "", nil
	}
	args := cmd.Arguments
	if len(args) == 0 && len(cmd.Command) <= maxCommandLength {
		args = commandWords(cmd.Command)
	}
	var dirs []string
	for _, d := range includeArguments(args) {
		rel, ok := under(absolute(d), top)
		if ok && (top != "" || !strings.HasPrefix(rel, "/")) && r.isFolder(rel) && !slices.Contains(dirs, rel) {
			dirs = append(dirs, rel)
		}
	}
	return file, dirs
}

// topOf splits an absolute path into the place of the folder and a mapped file. A relative path starts at the
// database's folder.
func (r *Resolver) topOf(p, dbDir string) (top, file string, ok bool) {
	if !path.IsAbs(p) && !isDrive(p) {
		file, ok = joinInside(dbDir, p)
		return "", file, ok && r.has(file)
	}
	for i := strings.IndexByte(p, '/'); i >= 0; {
		if r.has(p[i+1:]) {
			return p[:i], p[i+1:], true
		}
		next := strings.IndexByte(p[i+1:], '/')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return "", "", false
}

// isDrive recognises an absolute path of Windows.
func isDrive(p string) bool { return len(p) > 2 && p[1] == ':' }

// includeFlags are the flags that name a folder, in the next argument or in the same one.
var includeFlags = []string{"-isystem", "-iquote", "-idirafter", "-I", "/I"}

// includeArguments returns the folders in which a compiler is told to look.
func includeArguments(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		for _, flag := range includeFlags {
			dir, ok := strings.CutPrefix(args[i], flag)
			if !ok {
				continue
			}
			if dir == "" && i+1 < len(args) {
				i++
				dir = args[i]
			}
			if dir = strings.TrimPrefix(dir, "="); dir != "" {
				out = append(out, dir)
			}
			break
		}
	}
	return out
}

// commandWords splits a command as a shell does, without expansions.
func commandWords(command string) []string {
	var words []string
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(command):
			i++
			word.WriteByte(command[i])
			in = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, in = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}
