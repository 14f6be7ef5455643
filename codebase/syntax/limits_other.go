//go:build !unix

package syntax

// limitWorker has nothing to set here; the parent's time limit remains.
func limitWorker() {}
