package git

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzLog: whatever git writes, commits come out within their limits or an error
// does, and it makes no difference in which pieces it arrives.
func FuzzLog(f *testing.F) {
	hash := strings.Repeat("a1", 20)
	one := "\x00\x00" + hash + " 17 " + hash + "\x00subject\n\nbody\n\x00"
	f.Add(one+"\nM\x00a\x00A\x00b\x00\x00"+one+"\nR100\x00a\x00sub/b\x00", "")
	f.Add(one+one+one, "sub/")
	f.Add(one+"\nC050\x00sub/a\x00b\x00", "sub/")
	f.Add("\x00\x00"+hash+" 17 \x00\x00\nD\x00"+strings.Repeat("p", 5000)+"\x00", "")
	f.Add(one+"\nM\x00", "")
	f.Add(one+"M\x00\x00", "")
	f.Add("\x00\x00"+hash+" x\x00", "")
	f.Fuzz(func(t *testing.T, text, prefix string) {
		opts := LogOptions{MaxMessage: 20, MaxChanges: 3}
		read := func(in io.Reader) (all []string, failed bool) {
			err := parseLog(in, prefix, opts, func(c Commit) error {
				if !isHash(c.Hash) || len(c.Message) > 20 || len(c.Changes) > 3 || len(c.Changes) > c.Total ||
					strings.Contains(c.Message, "\x00") {
					t.Errorf("%+v", c)
				}
				for _, change := range c.Changes {
					if change.Path == "" || strings.Contains(change.Path+change.From, "\x00") {
						t.Errorf("%+v", change)
					}
				}
				all = append(all, describe(c))
				return nil
			})
			return all, err != nil
		}
		whole, failed := read(strings.NewReader(text))
		bytewise, failedToo := read(iotest.OneByteReader(strings.NewReader(text)))
		if failed != failedToo || strings.Join(whole, "\n") != strings.Join(bytewise, "\n") {
			t.Errorf("%q, %v; byte by byte %q, %v", whole, failed, bytewise, failedToo)
		}
	})
}
