package main

import (
	"os"
	"syscall"
)

// detachedProcess gives a process no console (Windows, "Process Creation Flags").
const detachedProcess = 0x00000008

// ownSession makes a process outlive the console that started it.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}

// goesOn never arrives: Windows does not stop programs.
const goesOn = syscall.Signal(-1)

// mayWrite looks only whether a folder is there: Windows decides about access when it is used.
func mayWrite(folder string) error {
	_, err := os.Stat(folder)
	return err
}
