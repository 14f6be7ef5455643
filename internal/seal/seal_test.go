package seal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

func TestSealedTextIsJSONAndComesBack(t *testing.T) {
	f := In(t.TempDir()).For("1")
	for _, object := range []string{`{}`, `{"a":1}`, "{\n  \"a\": {\"seal\":\"x\"}\n}\n"} {
		sealed := f.Seal("at", []byte(object))
		if !json.Valid(sealed) || !strings.HasSuffix(string(sealed), "\"}\n") {
			t.Errorf("%s: %s", object, sealed)
		}
		if back, ok := f.Open("at", sealed); !ok || string(back) != strings.TrimSpace(object) {
			t.Errorf("%s: %v, %s", object, ok, back)
		}
	}
}

// A seal is one user's, of one folder, one name and one text.
func TestOtherSealsAreNotOurs(t *testing.T) {
	dir := t.TempDir()
	sealed := In(dir).For("1").Seal("at", []byte(`{"a":1}`))
	for name, c := range map[string]struct {
		f    *Folder
		at   string
		text string
	}{
		"another folder":     {In(dir).For("2"), "at", string(sealed)},
		"another name":       {In(dir).For("1"), "a", string(sealed)},
		"another user":       {In(t.TempDir()).For("1"), "at", string(sealed)},
		"a user's process":   {new(Secret).For("1"), "at", string(sealed)},
		"another text":       {In(dir).For("1"), "at", strings.Replace(string(sealed), "1", "2", 1)},
		"something before":   {In(dir).For("1"), "at", " " + string(sealed)},
		"no seal":            {In(dir).For("1"), "at", `{"a":1}`},
		"an empty seal":      {In(dir).For("1"), "at", `{"a":1,"seal":""}`},
		"cut":                {In(dir).For("1"), "at", string(sealed[:len(sealed)-4])},
		"digits alone":       {In(dir).For("1"), "at", strings.Repeat("0", 64) + `"}`},
		"nothing":            {In(dir).For("1"), "at", ""},
		"of an empty object": {In(dir).For("1"), "at", strings.Replace(string(sealed), `{"a":1,`, `{`, 1)},
	} {
		if back, ok := c.f.Open(c.at, []byte(c.text)); ok || string(back) != c.text {
			t.Errorf("%s: taken for ours", name)
		}
	}
	if _, ok := In(dir).For("1").Open("at", sealed); !ok {
		t.Error("the next process does not know its user's seal")
	}
}

// Reading makes no key, sealing makes one that only the user can read, and all that begin at
// once have the same.
func TestKeyIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config", "brv-lsp")
	if _, ok := In(dir).For("1").Open("at", []byte(`{"seal":"`+strings.Repeat("0", 64)+`"}`)); ok {
		t.Error("ours without a key")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("reading has written")
	}
	sums := make([]string, 16)
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() { sums[i] = string(In(dir).For("1").Seal("at", []byte(`{}`))) })
	}
	all.Wait()
	for _, s := range sums {
		if s != sums[0] {
			t.Fatal("two keys")
		}
	}
	if info, err := os.Stat(filepath.Join(dir, keyName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
}

// Without a place for a key, or with a damaged one, a process knows what it has sealed itself.
func TestProcessKnowsItsOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	damaged := t.TempDir()
	for _, at := range []string{file, filepath.Join(damaged, keyName)} {
		if err := os.WriteFile(at, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]*Secret{"none": nil, "no folder": In(filepath.Join(file, "brv-lsp")), "damaged": In(damaged)} {
		f := s.For("1")
		if _, ok := f.Open("at", f.Seal("at", []byte(`{}`))); !ok {
			t.Errorf("%s: not its own", name)
		}
	}
}

func FuzzOpen(f *testing.F) {
	folder := new(Secret).For("1")
	f.Add([]byte(`{"seal":"` + strings.Repeat("0", 64) + `"}`))
	f.Add([]byte(`"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, ok := folder.Open("at", text); ok {
			t.Error("ours")
		}
	})
}

// TestKeyThatOthersWriteSealsNothing: others could have put one there that they know.
func TestKeyThatOthersWriteSealsNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such rights are told")
	}
	dir := t.TempDir()
	s := In(dir)
	sealed := s.For("1").Seal("x", []byte(`{"a":1}`))
	if err := os.Chmod(filepath.Join(dir, keyName), 0o666); err != nil {
		t.Fatal(err)
	}
	again := In(dir)
	if _, ours := again.For("1").Open("x", sealed); ours {
		t.Error("it is believed")
	}
	if err := again.Lasting(); !errors.Is(err, jail.ErrShared) {
		t.Errorf("%v", err)
	}
}
