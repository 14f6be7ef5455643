package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ticks is the kernel's clock for process times, in ticks a second; Linux shows
// user space 100 on every architecture Go runs on (USER_HZ, proc(5)).
const ticks = 100

// cpuOf is the processor time that a running process has used so far, in steps of a
// hundredth of a second, without its children; ok is false where there is no /proc.
func cpuOf(pid int) (used time.Duration, ok bool) { return timesOf(pid, 11) }

// waitedOf is the processor time of the children that the process has waited for.
func waitedOf(pid int) time.Duration {
	used, _ := timesOf(pid, 13)
	return used
}

// timesOf returns the sum of two neighbouring times in /proc/PID/stat. at is the index of the first one,
// counted from the field after the program's name.
func timesOf(pid, at int) (used time.Duration, ok bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The second field is the program's name in parentheses, which may hold
	// spaces; utime, stime, cutime and cstime are the 14th to 17th.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < at+2 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(fields[at], 10, 64)
	system, err2 := strconv.ParseInt(fields[at+1], 10, 64)
	return time.Duration(user+system) * time.Second / ticks, err1 == nil && err2 == nil
}

// Peak is the most memory the running process has had resident so far, in bytes,
// without its children; 0 where there is no /proc.
func (p *Process) Peak() int64 { return peakOf(strconv.Itoa(p.cmd.Process.Pid)) }

// Usage is the processor time and memory of a process and all its descendants.
type Usage struct {
	CPU time.Duration // of those that run, and of the ended ones that were waited for
	PSS int64         // bytes of memory, where pages that processes share are divided among them
}

// Tree returns the usage of the running process with its descendants. It is zero on systems without /proc.
func (p *Process) Tree() Usage { return treeOf(strconv.Itoa(p.cmd.Process.Pid)) }

func treeOf(pid string) (u Usage) {
	if n, err := strconv.Atoi(pid); err == nil {
		own, _ := cpuOf(n)
		u.CPU = own + waitedOf(n)
	}
	u.PSS = kibOf("/proc/"+pid+"/smaps_rollup", "Pss:")
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
	for _, list := range lists {
		data, _ := os.ReadFile(list) // a thread may have ended
		for child := range strings.FieldsSeq(string(data)) {
			c := treeOf(child)
			u.CPU += c.CPU
			u.PSS += c.PSS
		}
	}
	return u
}

// OwnPeak is the same of this process.
func OwnPeak() int64 { return peakOf("self") }

func peakOf(process string) int64 {
	return kibOf("/proc/"+process+"/status", "VmHWM:")
}

// kibOf reads a figure of a file of /proc that is given in kB, in bytes; 0 if it is not there.
func kibOf(file, name string) int64 {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
