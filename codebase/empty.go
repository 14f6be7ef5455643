package codebase

// Empty returns the map of no files: what is known before the first [Scan]
// ended. It can be asked everything and must not be updated.
func Empty() *RepoMap {
	return (&scanner{}).build(nil, nil, nil, nil, nil)
}

// Exists reports whether a file or folder is in the workspace now, mapped or
// not: documents, scripts and settings are no code, and entries name them too.
func (m *RepoMap) Exists(path string) bool {
	if m.scanner.root == nil {
		return false
	}
	_, err := m.scanner.root.Stat(path)
	return err == nil
}
