//go:build unix

package main

import "syscall"

// ownSession has a process outlive the terminal that it was started from.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// goesOn comes when a program that was stopped goes on.
const goesOn = syscall.SIGCONT
