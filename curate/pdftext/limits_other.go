//go:build !linux

package pdftext

// limitWorker has nothing to set here; the parent's time limit remains.
func limitWorker() {}
