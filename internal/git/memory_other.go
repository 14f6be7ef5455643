//go:build !(linux && (amd64 || arm64))

package git

// limitMemory does nothing: this system cannot bound another process. The limits
// of output and time remain.
func limitMemory(int, uint64) {}
