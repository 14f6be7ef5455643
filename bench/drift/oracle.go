package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// repo is a repository, read with git alone.
type repo struct{ dir string }

// openRepo finds owner/name below a folder of repositories.
func openRepo(repos, name string) (*repo, error) {
	_, short, _ := strings.Cut(name, "/")
	for _, dir := range []string{strings.ReplaceAll(name, "/", "+"), short} {
		for _, try := range []string{"repo", "repo/.git", ".git", "."} {
			at := filepath.Join(repos, dir, try)
			if info, err := os.Stat(filepath.Join(at, "HEAD")); err == nil && info.Mode().IsRegular() {
				abs, err := filepath.Abs(at)
				return &repo{abs}, err
			}
		}
	}
	return nil, fmt.Errorf("no git directory of it in %s", repos)
}

// command makes a git command without the user's and the system's configuration.
func (g *repo) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + g.dir, "-c", "core.quotePath=false", "-c",
		"diff.renameLimit=5000"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_NO_LAZY_FETCH=1",
		"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	return cmd
}

func (g *repo) output(ctx context.Context, args ...string) (string, error) {
	out, err := g.command(ctx, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(out), fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

func (g *repo) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := g.output(ctx, args...)
	if out == "" {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n"), err
}

// changes reads `git diff --name-status -M`.
func (g *repo) changes(ctx context.Context, from, to string) ([]change, error) {
	out, err := g.output(ctx, "diff", "--name-status", "-M", "-z", "--no-ext-diff", from, to)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var all []change
	for i := 0; i+1 < len(fields); i += 2 {
		c := change{status: fields[i][0], path: fields[i+1]}
		if c.status == 'R' || c.status == 'C' {
			if i++; i+1 >= len(fields) {
				return nil, errors.New("git diff: cut")
			}
			c.to = fields[i+1]
		}
		all = append(all, c)
	}
	return all, nil
}

// text reads a file of a commit.
func (g *repo) text(ctx context.Context, commit, p string) (string, error) {
	return g.output(ctx, "cat-file", "blob", commit+":"+p)
}

// share is the part of lines that differ between two texts, white space aside, by
// `git diff --no-index --numstat -w`.
func (g *repo) share(ctx context.Context, before, after string) (float64, error) {
	dir, err := os.MkdirTemp("", "brv-bench-share-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := errors.Join(os.WriteFile(a, []byte(before), 0o600), os.WriteFile(b, []byte(after), 0o600)); err != nil {
		return 0, err
	}
	out, err := g.command(ctx, "diff", "--no-index", "--numstat", "-w", "--", a, b).Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return 0, err
	}
	fields := strings.Fields(string(out))
	if len(fields) < 2 {
		return 0, nil
	}
	added, err1 := strconv.Atoi(fields[0])
	deleted, err2 := strconv.Atoi(fields[1])
	if err := errors.Join(err1, err2); err != nil {
		return 0, fmt.Errorf("git diff: unexpected %q", out)
	}
	return float64(added+deleted) / float64(max(1, countLines(before)+countLines(after))), nil
}

func countLines(text string) int { return len(strings.Split(strings.TrimRight(text, "\n"), "\n")) }

var codeExt = map[string]string{
	".go": "go", ".js": "js", ".mjs": "js", ".cjs": "js", ".jsx": "js", ".ts": "js", ".tsx": "js", ".mts": "js", ".cts": "js",
	".py": "py", ".rs": "rs",
}

// built are names of folders with generated or third-party files. Entries are about sources, so these are
// left out.
var built = []string{"dist", "build", "vendor", "node_modules", "out", "target", "coverage"}

func isCode(p string) bool {
	folders := strings.Split(path.Dir(p), "/")
	return codeExt[path.Ext(p)] != "" && !strings.Contains(path.Base(p), ".min.") &&
		!slices.ContainsFunc(built, func(b string) bool { return slices.Contains(folders, b) })
}

// truth is the known fate of a file or a symbol that an entry can name.
type truth struct {
	kind   string
	path   string // at the first commit
	symbol string
	to     string  // where it is now
	share  float64 // of changed lines
	call   bool    // the symbol is a function
}

// Where the line is drawn, as shares of changed lines.
const (
	muchChanged   = 0.5
	littleChanged = 0.1
	fewestLines   = 10 // of a file
	fewestOfOne   = 5  // of a symbol
)

// fileTruths returns the fates of the files that a step touched.
func (g *repo) fileTruths(ctx context.Context, s step) (out []truth, err error) {
	for _, c := range s.changes {
		if !isCode(c.path) || c.status == 'A' || c.status == 'T' || c.status == 'C' {
			continue
		}
		before, err := g.text(ctx, s.from, c.path)
		if err != nil || countLines(before) < fewestLines || len(before) > 512<<10 {
			continue // a submodule or link, or too small or large to be spoken of
		}
		switch c.status {
		case 'R':
			if isCode(c.to) {
				out = append(out, truth{kind: "renamed", path: c.path, to: c.to})
			}
		case 'D':
			out = append(out, truth{kind: "deleted", path: c.path})
		case 'M':
			after, err := g.text(ctx, s.to, c.path)
			if err != nil {
				return nil, err
			}
			share, err := g.share(ctx, before, after)
			if err != nil {
				return nil, err
			}
			t := truth{path: c.path, share: share}
			language := codeExt[path.Ext(c.path)]
			if share >= muchChanged { // comments aside, too
				if share, err = g.share(ctx, codeOf(before, language), codeOf(after, language)); err != nil {
					return nil, err
				}
			}
			switch {
			case sameCode(before, after, language):
				t.kind = "form"
			case share >= muchChanged:
				t.kind = "rewritten"
			case share <= littleChanged:
				t.kind = "small"
			default:
				continue
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// sameCode reports whether two texts are the same but for comments, white space and the
// order of lines. Comments that share a line with code count as code.
func sameCode(before, after, language string) bool {
	a, b := codeLines(before, language), codeLines(after, language)
	if layout.Replace(strings.Join(a, "")) == layout.Replace(strings.Join(b, "")) {
		return true
	}
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// layout drops what formatters put in and take out when they break lines.
var layout = strings.NewReplacer(",", "", ";", "", "(", "", ")", "", "'", "", `"`, "")

// codeOf is a text without comments, a line of it a line.
func codeOf(text, language string) string {
	return strings.Join(codeLines(text, language), "\n") + "\n"
}

// codeLines are the lines that are no comment, without white space.
func codeLines(text, language string) (out []string) {
	inside := ""
	for _, line := range strings.Split(text, "\n") {
		line = strings.Join(strings.Fields(line), "")
		if inside != "" {
			if strings.Contains(line, inside) {
				inside = ""
			}
			continue
		}
		switch {
		case line == "", language == "py" && line[0] == '#', language != "py" && strings.HasPrefix(line, "//"):
			continue
		case language != "py" && strings.HasPrefix(line, "/*"):
			if !strings.Contains(line, "*/") {
				inside = "*/"
			}
			if !strings.Contains(line, "*/") || strings.HasSuffix(line, "*/") {
				continue
			}
		case language == "py" && strings.HasPrefix(line, `"""`):
			if strings.Count(line, `"""`) == 1 {
				inside = `"""`
			}
			continue
		}
		out = append(out, line)
	}
	return out
}

// defines finds, by language, a line that defines a name: the last group.
var defines = map[string]*regexp.Regexp{
	"go": regexp.MustCompile(`^(func|type) (?:\([^)]*\) )?([A-Za-z_]\w*)`),
	"js": regexp.MustCompile(
		`^\s*(?:export )?(?:default )?(?:abstract )?(?:async )?(function\*?|class|interface|enum) ([A-Za-z_$][\w$]*)`),
	"py": regexp.MustCompile(`^\s*(?:async )?(def|class) ([A-Za-z_]\w*)`),
	"rs": regexp.MustCompile(`^\s*(?:pub(?:\([a-z]+\))? )?(?:const )?(?:unsafe )?(fn|struct|enum|trait) ([A-Za-z_]\w*)`),
}

// definition is a line that defines a name.
type definition struct {
	path string
	line int // from 0
	call bool
}

// isLocal reports whether the definition at a line stands in a function: the first line
// above that is indented less begins one.
func isLocal(text string, at int) bool {
	lines := strings.Split(text, "\n")
	if at >= len(lines) {
		return true
	}
	indent := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	for own := indent(lines[at]); own > 0 && at > 0; at-- {
		if l := lines[at-1]; strings.TrimSpace(l) != "" && indent(l) < own {
			if local.MatchString(l) {
				return true
			}
			own = indent(l)
		}
	}
	return false
}

var local = regexp.MustCompile(`\b(def|function|fn|if|else|for|with|try)\b|=>|^\s*\)|^\s*[\w$]+\s*\([^)]*\)\s*\{`)

// definitions finds all of a commit.
func (g *repo) definitions(ctx context.Context, commit string) (map[string][]definition, error) {
	args := []string{"grep", "-n", "-I", "-z", "-E",
		`^\s*[a-z(). ]*(func|type|function\*?|class|interface|enum|def|fn|struct|trait) `, commit, "--"}
	for ext := range codeExt {
		args = append(args, "*"+ext)
	}
	lines, err := g.lines(ctx, args...)
	if err != nil && len(lines) == 0 {
		return nil, nil // none
	}
	found := map[string][]definition{}
	for _, l := range lines {
		fields := strings.SplitN(l, "\x00", 3)
		if len(fields) != 3 {
			continue
		}
		p := strings.TrimPrefix(fields[0], commit+":")
		m := defines[codeExt[path.Ext(p)]].FindStringSubmatch(fields[2])
		n, err := strconv.Atoi(fields[1])
		if m == nil || err != nil {
			continue
		}
		call := slices.Contains([]string{"func", "function", "function*", "def", "fn"}, m[1])
		found[m[2]] = append(found[m[2]], definition{p, n - 1, call})
	}
	return found, nil
}

// extent returns the lines of the definition that begins at a line.
func extent(text string, from int) string {
	lines := strings.Split(text, "\n")
	if from >= len(lines) {
		return ""
	}
	indent := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	own, end := indent(lines[from]), from
	for i := from + 1; i < len(lines); i++ {
		switch trimmed := strings.TrimSpace(lines[i]); {
		case trimmed == "":
			continue
		case indent(lines[i]) > own:
			end = i
			continue
		case strings.ContainsAny(trimmed[:1], ")]}"):
			end = i
			if strings.HasSuffix(trimmed, "{") || strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "(") {
				continue // the end of the parameters
			}
		case strings.HasPrefix(trimmed, "where") && own == indent(lines[i]), trimmed == "{":
			end = i
			continue
		}
		break
	}
	return strings.Join(lines[from:end+1], "\n")
}
