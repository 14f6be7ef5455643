package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// ProjectFile is the project's own settings, from the folder's root.
const ProjectFile = ".brv/config.json"

// UserFile is the user's own settings for all programs, in the user's folder of this
// program's configuration. It is never written by us.
const UserFile = "settings.json"

// maxFile bounds a file of settings, in bytes: it holds a dozen values.
const maxFile = 64 << 10

// ReadUser reads the user's own settings in a folder, "" for none. A missing file sets nothing; one that
// cannot be read, or is no regular file, is a problem. Links are followed, since the file is the user's.
func ReadUser(dir string) (Layer, []Problem) {
	if dir == "" {
		return Layer{}, nil
	}
	data, err := readUser(filepath.Join(dir, UserFile))
	return parseFile(User, data, err)
}

func readUser(file string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := jail.Open(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(filepath.Base(real), maxFile)
}

// parseFile parses a file's content, nil if there is none, or the error of reading it.
func parseFile(source Source, data []byte, err error) (Layer, []Problem) {
	if err != nil {
		return Layer{}, []Problem{{Message: "not read: " + err.Error(), Line: 1, Column: 1}}
	}
	if data == nil {
		return Layer{}, nil
	}
	return Parse(source, data)
}

// ReadProject reads the settings of the project in a folder. A file that is not there sets
// nothing; one that cannot be read is a problem.
func ReadProject(folder string) (Layer, []Problem) {
	data, err := readProject(folder)
	return parseFile(Project, data, err)
}

func readProject(folder string) ([]byte, error) {
	root, err := jail.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return ProjectBytes(root)
}

// ProjectBytes is the text of the project's file, nil if there is none or it is empty.
func ProjectBytes(root *jail.Root) ([]byte, error) {
	data, err := root.ReadFile(ProjectFile, maxFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(data)) == 0 { // empty: being saved
		return nil, nil
	}
	return data, err
}

// Over is a layer with l's values, and for the other keys those of lower.
func (l Layer) Over(lower Layer) Layer {
	merged := maps.Clone(lower.values)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, l.values)
	return Layer{merged}
}

// Resolve returns the settings in force. The user's own file has precedence over the project's, and the
// client over both, except that the client's default counts as not set, since VS Code sends all values,
// whether or not the user set them. Lists of excluded files are joined, and severities by code.
func Resolve(project, user, client Layer) Settings {
	s := Default()
	for _, f := range fields() {
		at, said := f.in(&s), false
		for i, layer := range []Layer{project, user, client} {
			value, says := layer.values[f.key]
			switch {
			case !says:
				continue
			case said && f.project == projectAdds:
				value = joined(at.Interface().([]string), value.([]string))
			case said && f.kind.Kind() == reflect.Map:
				both := maps.Clone(at.Interface().(map[string]string))
				maps.Copy(both, value.(map[string]string))
				value = both
			case said && Source(i) == Client && reflect.DeepEqual(value, f.initial()):
				continue
			}
			at.Set(reflect.ValueOf(value))
			said = true
		}
	}
	return s
}

// joined is a list without what comes twice.
func joined(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
