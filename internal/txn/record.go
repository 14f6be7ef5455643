package txn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A record is one file:
//
//	a line of JSON: the header, with each image's SHA-256, size, mode and time, and with its
//	seal, which shows who wrote it (package seal)
//	the images' bytes, before and after, in the header's order, without separators
//	a newline, "sha256 ", the hex SHA-256 of everything before, a newline
//
// The last line distinguishes a complete record from a partial one. The audit file keeps the header line too. A
// version that changes the format increments version; an older version then reads what it can and changes nothing.

const (
	version = 1
	// maxRecord bounds the size of a record. It allows a batch of hundreds of entries at their limit of 1 MiB each
	// (package tree), and bounds what a hostile folder can make us read.
	maxRecord = 256 << 20
	// maxImages bounds a record's images, which are also those of the change that takes it back. It leaves room
	// for any header.
	maxImages = maxRecord - 2*maxHeader
	// maxID keeps ids at ten digits, so that they fit into an int on all systems.
	maxID = 999_999_999
	// maxPath bounds the bytes of a path; Linux allows 4,096 for a whole path.
	maxPath = 4096
)

// sealedAs is the purpose of the seal. A header is the same line in a record and in the audit file.
const sealedAs = "change"

const trailer = "\nsha256 "

type headerJSON struct {
	Version int             `json:"version"`
	ID      int             `json:"id"`
	Time    time.Time       `json:"time"`
	Meta    json.RawMessage `json:"meta,omitempty"`
	Files   []fileJSON      `json:"files"`
	Made    []string        `json:"made,omitempty"` // folders, parents first
}

type fileJSON struct {
	Path   string     `json:"path"`
	Before *imageJSON `json:"before,omitempty"`
	After  *imageJSON `json:"after,omitempty"`
}

type imageJSON struct {
	SHA256  string    `json:"sha256"`
	Size    int       `json:"size"`
	Mode    string    `json:"mode,omitempty"` // octal
	ModTime time.Time `json:"modTime,omitzero"`
}

// encode encodes the record. The token identifies the files that are staged for it. It differs between any two
// different records with the same id, and nobody else can make one.
func (j *Journal) encode(r *Record) (data []byte, token string, err error) {
	h := headerJSON{Version: version, ID: r.ID, Time: storable(r.Time), Meta: r.Meta, Files: []fileJSON{}, Made: r.made}
	for _, c := range r.Changes {
		h.Files = append(h.Files, fileJSON{c.Path, describe(c.Before), describe(c.After)})
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	sealed := j.seal.Seal(sealedAs, line.Bytes())
	if len(sealed) > maxHeader {
		return nil, "", fmt.Errorf("the change's description has %d bytes; the limit is %d. Split the change", len(sealed), maxHeader)
	}
	b.Write(sealed)
	for _, c := range r.Changes {
		for _, image := range []*Image{c.Before, c.After} {
			if image != nil {
				b.Write(image.Data)
			}
		}
	}
	if n := b.Len() - len(sealed); n > maxImages {
		return nil, "", fmt.Errorf("the change has %d bytes; the limit is %d. Split it", n, maxImages)
	}
	sum := sha(b.Bytes())
	fmt.Fprintf(&b, "%s%s\n", trailer, sum)
	return b.Bytes(), j.tokenOf(sealed), nil
}

// tokenOf returns the token for a record with that sealed header: digits of its hash, and a mark made from those.
func (j *Journal) tokenOf(line []byte) string {
	sum := sha(line)[:tokenDigits/2]
	return sum + j.seal.Mark(tokenAs, sum)
}

// isToken reports whether this user made a token, for this folder.
func (j *Journal) isToken(token string) bool {
	return len(token) == tokenDigits && j.seal.IsMark(tokenAs, token[:tokenDigits/2], token[tokenDigits/2:])
}

const (
	tokenDigits = 24
	tokenAs     = "staged"
)

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func describe(i *Image) *imageJSON {
	if i == nil {
		return nil
	}
	d := &imageJSON{SHA256: sha(i.Data), Size: len(i.Data), ModTime: storable(i.ModTime)}
	if i.Mode != 0 {
		d.Mode = fmt.Sprintf("%04o", i.Mode.Perm())
	}
	return d
}

// storable returns a time that JSON can represent, so that a wrong clock does not stop a change.
func storable(t time.Time) time.Time {
	t = t.UTC().Round(0)
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}

// decode decodes a record whose file name contains id.
func (j *Journal) decode(data []byte, id int) (r *Record, token string, err error) {
	line, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return nil, "", damage(id, "no header")
	}
	h, err := j.decodeHeader(line)
	if err != nil {
		return nil, "", fmt.Errorf("record %d: %w", id, err)
	}
	end := len(data) - len(trailer) - sha256.Size*2 - 1
	if end < len(line)+1 || string(data[end:]) != trailer+sha(data[:end])+"\n" {
		return nil, "", damage(id, "the checksum does not match the content")
	}
	r = &Record{Header: h.header(), made: h.Made}
	if reason := j.fill(r, h, body[:end-len(line)-1]); reason != "" {
		return nil, "", damage(id, reason)
	}
	if h.ID != id {
		return nil, "", damage(id, fmt.Sprintf("its number is %d", h.ID))
	}
	return r, j.tokenOf(data[:len(line)+1]), nil
}

func damage(id int, reason string) error {
	return fmt.Errorf("record %d: %w: %s", id, ErrDamaged, reason)
}

// decodeHeader decodes a header line, from a record or from the audit file.
func (j *Journal) decodeHeader(line []byte) (*headerJSON, error) {
	line, ours := j.seal.Open(sealedAs, line)
	var h headerJSON
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	switch {
	case !ours:
		return nil, ErrForeign
	case h.Version > version:
		return nil, fmt.Errorf("%w (format %d)", ErrNewer, h.Version)
	case h.Version < 1:
		return nil, fmt.Errorf("%w: no version", ErrDamaged)
	case h.ID < 1 || h.ID > maxID:
		return nil, fmt.Errorf("%w: no id", ErrDamaged)
	}
	return &h, nil
}

func (h *headerJSON) header() Header {
	out := Header{ID: h.ID, Time: h.Time, Meta: h.Meta}
	for _, f := range h.Files {
		file := File{Path: f.Path}
		if f.Before != nil {
			file.Before = f.Before.SHA256
		}
		if f.After != nil {
			file.After = f.After.SHA256
		}
		out.Files = append(out.Files, file)
	}
	return out
}

// fill adds the images to a record. reason tells why they cannot belong to it.
func (j *Journal) fill(r *Record, h *headerJSON, body []byte) (reason string) {
	for _, f := range h.Files {
		c := Change{Path: f.Path}
		for _, part := range []struct {
			from *imageJSON
			to   **Image
		}{{f.Before, &c.Before}, {f.After, &c.After}} {
			if part.from == nil {
				continue
			}
			image, ok := part.from.image(body)
			if !ok {
				return f.Path + ": the content does not match the header"
			}
			body = body[len(image.Data):]
			*part.to = image
		}
		r.Changes = append(r.Changes, c)
	}
	if len(body) > 0 {
		return "there is content after the end given in the header"
	}
	if err := j.allow(r.Changes); err != nil {
		return err.Error()
	}
	if i := slices.IndexFunc(r.Changes, func(c Change) bool { return c.mayRun() }); i >= 0 {
		return r.Changes[i].Path + ": a change cannot make a file executable"
	}
	for _, dir := range r.made {
		if !fs.ValidPath(dir) || len(dir) > maxPath || j.owns(dir) || !leadsTo(dir, r.Changes) {
			return dir + " is not a folder that a change can create"
		}
	}
	return ""
}

// leadsTo reports whether a folder is above one of the changed files.
func leadsTo(dir string, changes []Change) bool {
	for _, c := range changes {
		if strings.HasPrefix(c.Path, dir+"/") {
			return true
		}
	}
	return false
}

func (d *imageJSON) image(body []byte) (*Image, bool) {
	if d.Size < 0 || d.Size > len(body) {
		return nil, false
	}
	mode, err := strconv.ParseUint("0"+d.Mode, 8, 32)
	image := &Image{Data: body[:d.Size:d.Size], Mode: fs.FileMode(mode), ModTime: d.ModTime}
	return image, err == nil && image.Mode&^fs.ModePerm == 0 && sha(image.Data) == d.SHA256
}

// mayRun reports whether a change makes a file executable that was not so before.
func (c *Change) mayRun() bool {
	const run = 0o111
	return c.After != nil && c.After.Mode&run != 0 && (c.Before == nil || c.Before.Mode&run == 0)
}

// allow refuses changes that the caller may not make, and those that validate refuses.
func (j *Journal) allow(changes []Change) error {
	for _, c := range changes {
		if j.mayChange != nil && !j.mayChange(c.Path) {
			return fmt.Errorf("%q is not a file that a change can write", c.Path)
		}
	}
	return j.validate(changes)
}

// validate refuses changes that cannot be made together.
func (j *Journal) validate(changes []Change) error {
	all := map[string]bool{}
	for _, c := range changes {
		switch p := c.Path; {
		case !fs.ValidPath(p) || p == "." || len(p) > maxPath:
			return fmt.Errorf("%q: %w", p, fs.ErrInvalid)
		case j.owns(p):
			return fmt.Errorf("%s belongs to the journal", p)
		case all[p]:
			return fmt.Errorf("%s: changed twice", p)
		}
		all[c.Path] = true
	}
	for _, c := range changes {
		for dir := path.Dir(c.Path); dir != "."; dir = path.Dir(dir) {
			if all[dir] {
				return fmt.Errorf("%s would be both a file and a folder", dir)
			}
		}
	}
	return nil
}

// owns reports whether a path belongs to the journal, on any file system: some ignore case in names.
func (j *Journal) owns(p string) bool {
	p = strings.ToLower(p)
	if p == strings.ToLower(j.dir) {
		return true
	}
	for _, own := range []string{j.txn, j.journal, j.damaged, j.saved, j.audit, j.lock, j.next, j.replaceLock, j.replaceTemp} {
		if own = strings.ToLower(own); p == own || strings.HasPrefix(p, own+"/") {
			return true
		}
	}
	return false
}

// recordName returns the file name of a record. Names sort in the order of ids.
func recordName(id int) string { return fmt.Sprintf("%010d", id) }

// recordID returns the id in a file name. ok is false if the file is not a record.
func recordID(name string) (id int, ok bool) {
	id, err := strconv.Atoi(name)
	return id, err == nil && id >= 1 && id <= maxID && recordName(id) == name
}

// maxHeader bounds a record's header, in bytes: the texts of some thousand operations. A longer one is refused
// before it is written, and not read.
const maxHeader = 16 << 20
