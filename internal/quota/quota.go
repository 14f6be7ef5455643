// Package quota bounds the memory of a worker process. A program that starts itself again to read code from
// strangers can kill a slow worker in time, but memory would run out sooner.
package quota

// Memory bounds how much memory this process may take beyond the present amount, in bytes, and forbids core
// files. Beyond that, a Go program ends with a message on its standard error, and malloc returns nothing. It
// is called once, at the beginning.
//
// On Linux the bound is for writable memory (RLIMIT_DATA), which Go and the kernel count alike, and
// additionally for address space, with room for memory that Go and malloc only reserve, for kernels that do
// not count data. The limits are relative to the start, since a Go program reserves address space that it
// never uses, more so under the race detector. Elsewhere there is no bound, as a Go program does not survive
// the limits of these systems; the parent's time limit remains.
func Memory(memory uint64) { limit(memory) }
