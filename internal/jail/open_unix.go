//go:build unix

package jail

import (
	"errors"
	"os"
	"syscall"
)

// readFlags open without waiting for a pipe's other end and without taking a
// terminal over.
const readFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// cannotOpen reports errors that only sockets and devices without a driver give.
func cannotOpen(err error) bool {
	return errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENODEV)
}
