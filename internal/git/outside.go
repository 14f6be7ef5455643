package git

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/glob"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Outside holds git's rules for a folder that come from outside of it.
type Outside struct {
	Prefix string   // the folder as a slash path in its repository: "" or with a slash at its end
	Fold   bool     // the file system ignores case, by git's own test
	Ignore []Ignore // weakest first
}

// Ignore is a file with ignore rules. Above is the opened folder, as a slash path inside the folder to which the
// rules belong.
type Ignore struct{ Path, Above, Text string }

// maxIgnore bounds a file of rules or of configuration, in bytes.
const maxIgnore = 1 << 20

// Around reads git's rules from outside of a folder. It reads the user's own file of ignore rules. If the folder
// is a linked working tree, a submodule or not the top of its repository, it also reads info/exclude and the
// .gitignore files above. It runs no program, and reads no file that the repository's configuration names. Without
// a repository, or with one that [Open] refuses, the result is empty.
func Around(folder string) (o Outside) {
	abs, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return o
	}
	at, err := find(abs)
	if err != nil {
		return o
	}
	rel, err := filepath.Rel(at.top, abs)
	if err != nil {
		return o
	}
	if rel != "." {
		o.Prefix = filepath.ToSlash(rel) + "/"
	}
	_, err = os.Lstat(filepath.Join(at.common, "CoNfIg"))
	o.Fold = err == nil
	add := func(dir, name, above string) {
		if text, ok := regular(dir, name, maxIgnore); ok {
			o.Ignore = append(o.Ignore, Ignore{filepath.ToSlash(filepath.Join(dir, name)), above, text})
		}
	}
	if own := userExcludes(at.dir); own != "" {
		if real, err := filepath.EvalSymlinks(own); err == nil { // such files are often links
			add(filepath.Dir(real), filepath.Base(real), o.Prefix)
		}
	}
	if at.dir == filepath.Join(abs, ".git") {
		return o
	}
	add(at.common, "info/exclude", o.Prefix)
	for above := o.Prefix; above != ""; {
		add(filepath.Join(at.top, filepath.FromSlash(strings.TrimSuffix(o.Prefix, above))), ".gitignore", above)
		_, above, _ = strings.Cut(above, "/")
	}
	return o
}

// regular reads a regular file of a folder. It follows no links.
func regular(dir, name string, most int64) (text string, ok bool) {
	root, err := jail.Open(dir)
	if err != nil {
		return "", false
	}
	defer root.Close()
	if info, err := root.Lstat(filepath.ToSlash(name)); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	data, err := root.ReadFile(filepath.ToSlash(name), most)
	return string(data), err == nil
}

// userExcludes returns the path of the user's own file of ignore rules for a repository, by the user's own
// configuration alone: core.excludesFile, or the file git/ignore next to the configuration.
func userExcludes(gitDir string) string {
	home, _ := os.UserHomeDir()
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	files := []string{filepath.Join(config, "git", "config"), filepath.Join(home, ".gitconfig")}
	if global, set := os.LookupEnv("GIT_CONFIG_GLOBAL"); set {
		files = []string{global}
	}
	c := userConfig{home: home, gitDir: gitDir, excludes: filepath.Join(config, "git", "ignore")}
	for _, file := range files {
		c.read(file, 0)
	}
	return c.excludes
}

// userConfig reads the user's configuration for one repository.
type userConfig struct{ home, gitDir, excludes string }

// maxIncludes bounds how deeply configuration files may include others; it is git's own limit.
const maxIncludes = 10

// read reads a configuration file, and its includes whose condition about the repository's place holds.
func (c *userConfig) read(file string, depth int) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil || depth > maxIncludes {
		return
	}
	text, _ := regular(filepath.Dir(real), filepath.Base(real), maxIgnore)
	section := ""
	for line := range strings.Lines(string(markdown.WithoutMarks([]byte(strings.ReplaceAll(text, "\\\n", ""))))) {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(head, "[") {
			section, line = head[1:], strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		name, condition, _ := strings.Cut(section, " ")
		switch strings.ToLower(strings.TrimSpace(name) + "." + strings.TrimSpace(key)) {
		case "core.excludesfile":
			if condition != "" {
				continue // belongs to another section
			}
			c.excludes = c.path(configValue(value), "")
		case "include.path", "includeif.path":
			if path := c.path(configValue(value), filepath.Dir(real)); path != "" && c.holds(configValue(condition), filepath.Dir(real)) {
				c.read(path, depth+1)
			}
		}
	}
}

// path resolves a path in the configuration. It is "" if the path is relative and from does not tell the folder.
func (c *userConfig) path(value, from string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(c.home, rest)
	} else if filepath.IsAbs(value) || value == "" {
		return value
	} else if from != "" {
		return filepath.Join(from, value)
	}
	return ""
}

// holds reports whether a condition of an include holds, see git-config(1): none, or gitdir: and gitdir/i:.
func (c *userConfig) holds(condition, from string) bool {
	kind, pattern, _ := strings.Cut(condition, ":")
	if condition == "" || kind != "gitdir" && kind != "gitdir/i" {
		return condition == ""
	}
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = filepath.ToSlash(from) + "/" + rest
	} else if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern = filepath.ToSlash(c.home) + "/" + rest
	} else if !filepath.IsAbs(pattern) {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	ok, _ := glob.Git(pattern, filepath.ToSlash(c.gitDir), true, kind == "gitdir/i")
	return ok
}

// configValue returns a configuration value without its quotes, its escapes and the comment behind it.
func configValue(text string) string {
	var out strings.Builder
	quoted, kept := false, 0 // bytes up to the last non-blank one
	text = strings.TrimSpace(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '#' || c == ';'):
			return out.String()[:kept]
		case c == '\\' && i+1 < len(text):
			i++
			out.WriteString(strings.NewReplacer("n", "\n", "t", "\t", "b", "\b").Replace(text[i : i+1]))
			kept = out.Len()
		default:
			out.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = out.Len()
			}
		}
	}
	return out.String()[:kept]
}
