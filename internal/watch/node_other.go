//go:build !linux

package watch

// node tells nothing where the system watches paths instead of folders.
type node struct{}

func nodeOf(string) node { return node{} }
