// Package seal marks what this user's own processes wrote into a folder that may come
// from anyone.
//
// `.brv/state` holds a journal that is carried out after a crash, counters that rank
// entries, and what is remembered of dreams. Whoever wrote the repository can ship files
// of the same names, also into a folder that has its own ones already: a pull replaces
// what git ignores. So each such file ends in a seal, and without the right one it is not
// ours: it is reported, and never believed.
//
// A seal is an HMAC-SHA256 (RFC 2104) of the file's text, under a key that is derived from
// two things:
//
//   - the user's secret, 32 random bytes in the user's configuration folder
//     (`brv-lsp/key`, mode 0600), made when something is written for the first time;
//   - the folder, by its inode number, so that a state of one clone is none of another.
//     The device number is left out: btrfs, network and device-mapper file systems number
//     their devices anew at each mount, and a change that a power cut interrupted must be
//     finished after it.
//
// The seal is the last member of a JSON object, so that sealed text is JSON still:
//
//	{"version":1,"id":7,"seal":"<64 hex digits>"}
//
// Limits: where the configuration folder cannot be written and holds no key, a process
// seals with a key of its own, and what it wrote is nobody's once it ends. A folder that
// is copied, or restored from a backup, has another inode: its state counts as foreign.
// Who can read the user's configuration folder can do as the user does.
package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// keyName is the name of the file with the user's secret.
const keyName = "key"

// secretSize is the secret's length in bytes, that of the hash (RFC 2104, section 3).
const secretSize = sha256.Size

// Secret is a user's secret. The zero value is known to this process only. It is safe for concurrent use.
type Secret struct {
	dir string // of the file; "" for none

	mu    sync.Mutex
	bytes []byte // nil: not read yet
}

// process is the secret used if there is no file, until the process ends.
var process = sync.OnceValue(func() []byte { return random() })

// In is the secret in the folder dir, which need not exist.
func In(dir string) *Secret { return &Secret{dir: dir} }

// OfUser is the secret of the user who runs the program.
func OfUser() *Secret {
	dir, err := os.UserConfigDir()
	if err != nil {
		return &Secret{}
	}
	return In(filepath.Join(dir, "brv-lsp"))
}

func random() []byte {
	b := make([]byte, secretSize)
	rand.Read(b) // never fails: crypto/rand
	return b
}

// get returns the secret. If there is none, it is made for sealing; otherwise the result is nil, and no file
// can be ours.
func (s *Secret) get(sealing bool) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes != nil {
		return s.bytes
	}
	err := errors.New("there is no configuration folder")
	if s.dir != "" {
		if s.bytes, err = s.read(); errors.Is(err, fs.ErrNotExist) && sealing {
			s.bytes, err = s.make()
		}
	}
	if err != nil && (sealing || s.dir == "") {
		s.bytes = process()
	}
	return s.bytes
}

// ErrDamaged: the file of the secret exists but contains none.
var ErrDamaged = errors.New("contains no key")

// Lasting makes the secret if there is none. It returns the reason why seals will only be valid in this
// process: [ErrDamaged], or the system's error. It is nil if later processes have the secret too.
func (s *Secret) Lasting() error {
	if s == nil || s.dir == "" {
		return errors.New("there is no configuration folder")
	}
	s.get(true)
	_, err := s.read()
	return err
}

// read returns the secret in the file.
func (s *Secret) read() ([]byte, error) {
	at := filepath.Join(s.dir, keyName)
	info, err := os.Stat(at)
	if err != nil {
		return nil, err
	}
	if err := jail.Private(info, jail.Written); err != nil {
		return nil, fmt.Errorf("%s %w", at, err)
	}
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != secretSize {
		return nil, fmt.Errorf("%s %w: expected %d bytes in hex", at, ErrDamaged, secretSize)
	}
	return key, nil
}

// make writes a new secret in one step; if another process was faster, its secret is used.
func (s *Secret) make() ([]byte, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(s.dir, keyName+".*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(hex.EncodeToString(random()) + "\n")
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(temp.Name(), filepath.Join(s.dir, keyName)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.read()
}

// Folder seals files of one folder.
type Folder struct {
	secret *Secret
	id     string
}

// For is the seal for the folder with an id, which is unique on this machine. A nil secret uses a key of this
// process.
func (s *Secret) For(id string) *Folder {
	if s == nil {
		s = &Secret{}
	}
	return &Folder{s, id}
}

// Seal returns a JSON object's text with its seal, ending in a newline; at is the name of the file, or the
// kind of line, that the text belongs to.
func (f *Folder) Seal(at string, object []byte) []byte {
	body, ok := bytes.CutSuffix(bytes.TrimSpace(object), []byte("}"))
	if !ok {
		panic("sealed text is a JSON object") // cannot happen: callers seal what they have just encoded
	}
	return fmt.Appendf(bytes.Clone(body), "%s%s\"}\n", member(body), f.sum(f.secret.get(true), at, body))
}

// Mark is a short seal of a text, for names of files: 12 hex digits, 48 bits. An attacker cannot try many.
func (f *Folder) Mark(at, text string) string {
	return f.sum(f.secret.get(true), at, []byte(text))[:markDigits]
}

// IsMark reports whether a mark is that of a text.
func (f *Folder) IsMark(at, text, mark string) bool {
	secret := f.secret.get(false)
	return secret != nil && hmac.Equal([]byte(mark), []byte(f.sum(secret, at, []byte(text))[:markDigits]))
}

const markDigits = 12

// member is the text before the digits of a seal.
func member(body []byte) string {
	if bytes.HasSuffix(body, []byte("{")) {
		return `"seal":"`
	}
	return `,"seal":"`
}

// Open returns the object without its seal. If the seal is missing, or not for this user, folder and name, ok
// is false and the text is returned as it is.
func (f *Folder) Open(at string, text []byte) (object []byte, ok bool) {
	const digits = 2 * sha256.Size
	sealed, ok := bytes.CutSuffix(bytes.TrimRight(text, "\n"), []byte(`"}`))
	if !ok || len(sealed) < digits {
		return text, false
	}
	body, sum := sealed[:len(sealed)-digits], sealed[len(sealed)-digits:]
	for _, m := range []string{`,"seal":"`, `"seal":"`} {
		if body, ok = bytes.CutSuffix(body, []byte(m)); ok {
			break
		}
	}
	secret := f.secret.get(false)
	if !ok || secret == nil || !hmac.Equal(sum, []byte(f.sum(secret, at, body))) {
		return text, false
	}
	return append(bytes.Clone(body), '}'), true
}

// sum is the seal of a body, in hex.
func (f *Folder) sum(secret []byte, at string, body []byte) string {
	key := hmac.New(sha256.New, secret)
	fmt.Fprintf(key, "brv-lsp state 1\n%s", f.id)
	mac := hmac.New(sha256.New, key.Sum(nil))
	fmt.Fprintf(mac, "%d %s\n", len(at), at)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
