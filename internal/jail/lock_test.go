package jail

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestLockExcludes(t *testing.T) {
	r := open(t, nil)
	unlock, err := r.Lock("lock")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Lock("lock"); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	pid, host, first, ok := Holder([]byte(read(r, "lock")))
	if !ok || pid != strconv.Itoa(os.Getpid()) || host == "" || first == "" {
		t.Error(pid, host, first, ok)
	}
	unlock()
	unlock()
	unlock, err = r.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, _, token, ok := Holder([]byte(read(r, "lock"))); !ok || token == first {
		t.Error(token, ok)
	}
	if info, err := r.Stat("lock"); err != nil || info.Size() != holderSize {
		t.Error(info.Size(), err)
	}
}

// A lock file that was removed and made again excludes too.
func TestLockOfARemovedFile(t *testing.T) {
	r := open(t, nil)
	unlock, err := r.Lock("lock")
	if err != nil {
		t.Skip(err)
	}
	if err := os.Remove(filepath.Join(r.Dir(), "lock")); err != nil {
		t.Skip(err)
	}
	again, err := r.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := r.Lock("lock"); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	again()
}

func TestHolderOfOtherContent(t *testing.T) {
	for _, content := range []string{"", "x", "1 2", "a b c d", "\x00"} {
		if _, _, _, ok := Holder([]byte(content)); ok {
			t.Errorf("%q is taken for a holder", content)
		}
	}
}
