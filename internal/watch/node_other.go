//go:build !linux

package watch

// node is empty on systems that watch paths instead of folders.
type node struct{}

func nodeOf(string) node { return node{} }
