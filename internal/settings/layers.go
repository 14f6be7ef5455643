package settings

import (
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// ProjectFile is the project's own settings, from the folder's root.
const ProjectFile = ".brv/config.json"

// maxProjectFile bounds the project's file, in bytes: it holds a dozen values.
const maxProjectFile = 64 << 10

// ReadProject reads the settings of the project in a folder. A file that is not there sets
// nothing; one that cannot be read is a problem.
func ReadProject(folder string) (Layer, []Problem) {
	data, err := readProject(folder)
	if err != nil {
		return Layer{}, []Problem{{Message: "not read: " + err.Error(), Line: 1, Column: 1}}
	}
	if data == nil {
		return Layer{}, nil
	}
	return Parse(Project, data)
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

// ProjectBytes is the text of the project's file, nil if there is none.
func ProjectBytes(root *jail.Root) ([]byte, error) {
	data, err := root.ReadFile(ProjectFile, maxProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Over is a layer with l's values, and those of lower that l does not set.
func (l Layer) Over(lower Layer) Layer {
	merged := maps.Clone(lower.values)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, l.values)
	return Layer{merged}
}

// Resolve gives the settings that hold. What the client says stands over what the project
// says, except that its default counts as not said, since VS Code sends all values,
// whether or not the user set them. Lists of what is left out are joined, and severities
// by code.
func Resolve(project, client Layer) Settings {
	s := Default()
	for _, f := range fields() {
		ours, saidByProject := project.values[f.key]
		theirs, saidByClient := client.values[f.key]
		at := f.in(&s)
		switch {
		case saidByProject && saidByClient && f.project == projectAdds:
			at.Set(reflect.ValueOf(joined(ours.([]string), theirs.([]string))))
		case saidByProject && saidByClient && f.kind.Kind() == reflect.Map:
			both := maps.Clone(ours.(map[string]string))
			maps.Copy(both, theirs.(map[string]string))
			at.Set(reflect.ValueOf(both))
		case saidByClient && !(saidByProject && reflect.DeepEqual(theirs, f.initial())):
			at.Set(reflect.ValueOf(theirs))
		case saidByProject:
			at.Set(reflect.ValueOf(ours))
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
