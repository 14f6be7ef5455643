//go:build !windows && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package jail

import (
	"errors"
	"fmt"
	"os"
)

func lockFile(*os.File) error { return fmt.Errorf("file locks: %w", errors.ErrUnsupported) }
