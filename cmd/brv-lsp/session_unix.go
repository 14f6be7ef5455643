//go:build unix

package main

import "syscall"

// ownSession makes a process outlive the terminal that started it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// goesOn is the signal that a stopped program gets when it continues.
const goesOn = syscall.SIGCONT
