package jail

import (
	"errors"
	"fmt"
	"io/fs"
)

// The rights that others than its owner have to a file or folder.
const (
	Written fs.FileMode = 0o022 // to change it
	Entered fs.FileMode = 0o077 // to do anything with it
)

// ErrShared: others can access a file or folder, so its content may be theirs.
var ErrShared = errors.New("is accessible to others")

// Private refuses a file or folder of another user, and one to which others have any of those rights. On
// Windows the user's own folders are closed by their place, and such rights are not checked.
func Private(info fs.FileInfo, rights fs.FileMode) error {
	owned, told := ownedByUser(info)
	switch mode := info.Mode().Perm(); {
	case !owned:
		return fmt.Errorf("%w: another user owns it", ErrShared)
	case told && mode&rights != 0:
		return fmt.Errorf("%w: its mode is %v; run chmod %o", ErrShared, info.Mode(), mode&^Entered)
	}
	return nil
}
