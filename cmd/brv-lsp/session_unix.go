//go:build unix

package main

import "syscall"

// ownSession makes a process outlive the terminal that started it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// goesOn is the signal that a stopped program gets when it continues.
const goesOn = syscall.SIGCONT

// mayWrite asks the system whether this user may write to a folder.
func mayWrite(folder string) error {
	const write = 2 // W_OK of access(2)
	return syscall.Access(folder, write)
}
