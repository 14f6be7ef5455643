package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks is the kernel's clock for process times, in ticks a second; Linux shows
// user space 100 on every architecture Go runs on (USER_HZ, proc(5)).
const ticks = 100

// CPU is the processor time the running process has used so far, in steps of a
// hundredth of a second, without its children; ok is false where there is no
// /proc.
func (p *Process) CPU() (used time.Duration, ok bool) { return cpuOf(p.cmd.Process.Pid) }

func cpuOf(pid int) (used time.Duration, ok bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The second field is the program's name in parentheses, which may hold
	// spaces; utime and stime are the 14th and 15th.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticks, err1 == nil && err2 == nil
}

// Peak is the most memory the running process has had resident so far, in bytes,
// without its children; 0 where there is no /proc.
func (p *Process) Peak() int64 { return peakOf(strconv.Itoa(p.cmd.Process.Pid)) }

// OwnPeak is the same of this process.
func OwnPeak() int64 { return peakOf("self") }

func peakOf(process string) int64 {
	data, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
