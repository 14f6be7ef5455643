//go:build !linux && !darwin

package jail

import (
	"errors"
	"os"
)

func renameNew(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }

func exchange(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }
