package tree

import (
	"crypto/sha256"
	"encoding/hex"
)

// Child is an entry, or a folder with its summary, that the summary of a folder covers.
type Child struct {
	Name string // relative to the folder
	Hash string // of the file
}

// ChildrenHash identifies what a summary covers, sorted by name, as the specification has it: a summary that states
// another one is stale.
func ChildrenHash(children []Child) string {
	var b []byte
	for i, c := range children {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(append(b, c.Name...), ':'), c.Hash...)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
