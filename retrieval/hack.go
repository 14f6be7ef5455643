package retrieval

import (
	"os"
	"strings"
)

var hackLinks = os.Getenv("LINKS") != ""

func linkless(s string) string {
	if !hackLinks {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "](")
		if i < 0 {
			break
		}
		j := strings.IndexAny(s[i:], ")\n")
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		b.WriteByte(' ')
		s = s[i+j:]
	}
	b.WriteString(s)
	return b.String()
}
