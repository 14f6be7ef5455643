package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// synthetic makes a history of n commits without git.
func synthetic(n int, commit func(i int) (message string, files []string)) *History {
	b := newBuilder(hashOf(0), "", "")
	b.headTime = firstDay
	for i := range n {
		message, files := commit(i)
		c := git.Commit{Hash: hashOf(i), Parents: 1, Time: firstDay - int64(i)*3600, Message: message, Total: len(files)}
		for _, path := range files {
			c.Changes = append(c.Changes, git.Change{Path: path})
		}
		b.add(c)
	}
	return b.history()
}

func hashOf(i int) string { return fmt.Sprintf("%040x", i) }

func TestStoredFormHoldsAll(t *testing.T) {
	for name, h := range map[string]*History{"empty": {}, "talk": talk(t), "partial": {head: hashOf(1), partial: "a reason",
		prefix: "sub/", shallow: "ab",
		commits: columns{hashLen: 20}}} {
		stored := h.Append([]byte("before"))
		got, err := Decode(stored[len("before"):])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if dump(got) != dump(h) || got.shallow != h.shallow || strings.Join(got.paths, "|") != strings.Join(h.paths, "|") {
			t.Errorf("%s:\n%s\nwant:\n%s", name, dump(got), dump(h))
		}
	}
}

func TestDamagedFormsAreRefused(t *testing.T) {
	stored := talk(t).Append(nil)
	for i := range stored {
		damaged := append([]byte(nil), stored...)
		damaged[i] ^= 0x20
		if _, err := Decode(damaged); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := Decode(stored[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := Decode(append(stored, 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("longer: %v", err)
	}
}

// FuzzDecode damages the bytes and mends the checksum: what is accepted can be asked,
// and is stored as it was read.
func FuzzDecode(f *testing.F) {
	h := synthetic(3, func(i int) (string, []string) { return fmt.Sprint("word of ", i), []string{"a", fmt.Sprint(i)} })
	full, empty := h.Append(nil), (&History{}).Append(nil)
	f.Add(full[len(magic) : len(full)-4])
	f.Add(empty[len(magic) : len(empty)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		stored := append([]byte(magic), body...)
		stored = binary.LittleEndian.AppendUint32(stored, crc32.Checksum(stored, castagnoli))
		h, err := Decode(stored)
		if err != nil {
			return
		}
		h.Votes(words("word of 1"))
		for _, path := range h.paths {
			h.CoChange(path)
			h.Age(path)
		}
		again, err := Decode(h.Append(nil))
		if err != nil || dump(again) != dump(h) {
			t.Errorf("%v\n%s\n%s", err, dump(again), dump(h))
		}
	})
}
