// Package quota bounds what a worker process takes of the machine: a program that starts
// itself again to read what others wrote (code) can be killed in time, but memory is gone sooner.
package quota

// Memory bounds how much memory this process may take beyond what it has, in bytes, and forbids
// core files. What asks for more fails: a Go program ends and says so on its standard error,
// and malloc returns nothing. It is called once, at the beginning.
//
// On Linux that is the memory that can be written to (RLIMIT_DATA), which Go and the kernel count
// alike, and beside it the address space with room for what Go and malloc only reserve, for kernels
// that count no data. The limits are relative to the start, since a Go program reserves address space that it
// never uses, more so under the race detector. Elsewhere there is none, as a Go program does not
// survive what these systems have; the parent's time limit remains.
func Memory(memory uint64) { limit(memory) }
