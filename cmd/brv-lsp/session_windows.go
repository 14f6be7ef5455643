package main

import "syscall"

// detachedProcess gives a process no console (Windows, "Process Creation Flags").
const detachedProcess = 0x00000008

// ownSession has a process outlive the console that it was started from.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// goesOn never comes: Windows stops no program.
const goesOn = syscall.Signal(-1)
