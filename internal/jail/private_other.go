//go:build !unix

package jail

import "io/fs"

// ownedByUser reports whether a file is this user's, and whether its rights are told.
func ownedByUser(fs.FileInfo) (owned, told bool) { return true, false }
