package codebase

// Empty returns the map of no files: what is known before the first [Scan]
// ended. It can be asked everything and must not be updated.
func Empty() *RepoMap {
	return (&scanner{}).build(nil, nil, nil, nil, nil)
}
