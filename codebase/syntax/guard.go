package syntax

import (
	"bytes"
	"fmt"
)

// refuse returns why a source must not reach a grammar, or "". It runs in the
// parent, so that the worst inputs never cost a worker.
func refuse(source []byte) string {
	if len(source) > maxSource {
		return fmt.Sprintf("no syntax: larger than %d bytes", maxSource)
	}
	if bytes.IndexByte(source, 0) >= 0 {
		return "no syntax: contains NUL bytes"
	}
	if hasLongLine(source) {
		return fmt.Sprintf("no syntax: a line is longer than %d bytes", maxLine)
	}
	return ""
}

func hasLongLine(source []byte) bool {
	for len(source) > maxLine {
		nl := bytes.LastIndexByte(source[:maxLine+1], '\n')
		if nl < 0 {
			return true
		}
		source = source[nl+1:]
	}
	return false
}
