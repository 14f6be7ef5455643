package txn

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Records lists the kept changes, newest first. It leaves out damaged records; [Journal.Audit] reports them.
func (j *Journal) Records() ([]Header, error) {
	ids, err := j.keptIDs()
	if err != nil {
		return nil, err
	}
	var headers []Header
	for _, id := range slices.Backward(ids) {
		h, err := j.header(id)
		switch {
		case errors.Is(err, ErrDamaged), errors.Is(err, ErrForeign), errors.Is(err, ErrNoRecord): // or removed meanwhile
		case err != nil:
			return nil, err
		default:
			headers = append(headers, h.header())
		}
	}
	return headers, nil
}

// Headers returns the headers of these changes by id, kept or not. It leaves out damaged records.
func (j *Journal) Headers(ids ...int) (map[int]Header, error) {
	out := map[int]Header{}
	left := map[int]bool{}
	for _, id := range ids {
		switch h, err := j.header(id); {
		case err == nil:
			out[id] = h.header()
		case errors.Is(err, ErrDamaged):
		case errors.Is(err, ErrNoRecord), errors.Is(err, ErrForeign):
			left[id] = true
		default:
			return nil, err
		}
	}
	if len(left) == 0 {
		return out, nil
	}
	lines, err := j.auditLines()
	if err != nil && !errors.Is(err, jail.ErrTooLarge) { // a record that is too large is not ours
		return nil, err
	}
	j.yieldLines(lines, func(h Header, err error) bool {
		if err == nil && left[h.ID] {
			out[h.ID] = h
			delete(left, h.ID)
		}
		return len(left) > 0
	})
	return out, nil
}

// keptIDs returns the ids of our newest records that are kept, smallest first.
func (j *Journal) keptIDs() ([]int, error) { return j.newest(j.keep) }

// newest returns the ids of our n newest records, smallest first.
func (j *Journal) newest(n int) (out []int, err error) {
	ids, err := j.ids(j.journal)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Backward(ids) {
		if len(out) == n {
			break
		}
		if _, known := j.ours.Load(id); !known {
			why := j.whose(path.Join(j.journal, recordName(id)), id)
			if strange(why) || missing(why) {
				continue
			}
			if why != nil {
				return nil, why
			}
			j.ours.Store(id, true)
		}
		out = append(out, id)
	}
	slices.Reverse(out)
	return out, nil
}

// lastWrites is how many of the newest changes [Journal.Wrote] examines. It covers writers that work at the same
// time.
const lastWrites = 8

// Wrote reports whether one of the last changes gave a file this content.
func (j *Journal) Wrote(file string, data []byte) bool {
	ids, err := j.newest(lastWrites)
	if err != nil {
		return false
	}
	sum := sha(data)
	for _, id := range ids {
		h, err := j.header(id)
		if err == nil && slices.ContainsFunc(h.Files, func(f fileJSON) bool {
			return f.Path == file && f.After != nil &&
				f.After.SHA256 == sum
		}) {
			return true
		}
	}
	return false
}

// Load reads one record. Its error may be [ErrNoRecord], [ErrDamaged] or [ErrNewer].
func (j *Journal) Load(id int) (*Record, error) {
	ids, err := j.keptIDs()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ids, id) {
		if why := j.whose(path.Join(j.journal, recordName(id)), id); strange(why) {
			return nil, fmt.Errorf("record %d: %w", id, why)
		}
		return nil, fmt.Errorf("change %d: %w", id, ErrNoRecord)
	}
	data, err := j.fsys.ReadFile(path.Join(j.journal, recordName(id)), maxRecord)
	if err != nil {
		return nil, unreadable(id, err)
	}
	r, _, err := j.decode(data, id)
	return r, err
}

// header reads the first line of a record in the journal.
func (j *Journal) header(id int) (*headerJSON, error) {
	line, err := j.line(id)
	if err != nil {
		return nil, err
	}
	h, err := j.decodeHeader(line)
	if err == nil && h.ID != id {
		err = fmt.Errorf("%w: its number is %d", ErrDamaged, h.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", id, err)
	}
	return h, nil
}

// firstHead is how many bytes of a record are read first for its header. A batch of some entries with their texts
// fits.
const firstHead = 16 << 10

// line reads the first line of a record in the journal, without images.
func (j *Journal) line(id int) ([]byte, error) {
	line, err := j.firstLine(path.Join(j.journal, recordName(id)))
	if err != nil {
		return nil, unreadable(id, err)
	}
	return line, nil
}

// firstLine reads a file's first line. It returns [ErrDamaged] if that cannot be a header.
func (j *Journal) firstLine(at string) ([]byte, error) {
	for limit := int64(firstHead); ; limit *= 4 {
		data, err := j.fsys.ReadHead(at, limit)
		if err != nil {
			return nil, err
		}
		line, _, whole := bytes.Cut(data, []byte("\n"))
		if whole || int64(len(data)) < limit {
			return bytes.Clone(line), nil
		}
		if limit >= maxHeader || data[0] != '{' || bytes.IndexByte(data, 0) >= 0 {
			return nil, fmt.Errorf("%w: no header", ErrDamaged)
		}
	}
}

// unreadable returns the error for a record in the journal that is missing or not a file of ours.
func unreadable(id int, err error) error {
	switch {
	case missing(err):
		return fmt.Errorf("change %d: %w", id, ErrNoRecord)
	case errors.Is(err, jail.ErrTooLarge), errors.Is(err, jail.ErrNotRegular), errors.Is(err, jail.ErrEscapes),
		errors.Is(err, jail.ErrLink):
		return damage(id, err.Error())
	}
	return err
}

// Audit yields every change ever made, oldest first, including those without images. It yields an error for a line
// or record that cannot be read, and continues with the next.
func (j *Journal) Audit() iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		// Records are listed first. One that disappears meanwhile is in the audit file then.
		ids, err := j.ids(j.journal)
		if err != nil {
			yield(Header{}, err)
			return
		}
		var lines [][]byte
		var broken []error
		for _, id := range ids {
			line, err := j.line(id)
			if errors.Is(err, ErrNoRecord) {
				continue
			}
			if err != nil {
				broken = append(broken, err)
				continue
			}
			lines = append(lines, line)
		}
		old, err := j.auditLines()
		if err != nil && !yield(Header{}, err) {
			return
		}
		for _, err := range broken {
			if !yield(Header{}, err) {
				return
			}
		}
		j.yieldLines(append(old, lines...), yield)
	}
}

// yieldLines decodes header lines and drops duplicates. Only the first foreign line is an error. A line that is a
// prefix of a later one comes from an append that a crash interrupted, and that was then repeated.
func (j *Journal) yieldLines(lines [][]byte, yield func(Header, error) bool) {
	seen := map[int]bool{}
	foreign := false
	for i, line := range lines {
		h, err := j.decodeHeader(line)
		switch {
		case errors.Is(err, ErrForeign) && foreign:
		case err != nil && torn(line, lines[i+1:]):
		case err != nil:
			foreign = foreign || errors.Is(err, ErrForeign)
			if !yield(Header{}, fmt.Errorf("audit: line %d: %w", i+1, err)) {
				return
			}
		case !seen[h.ID]:
			seen[h.ID] = true
			if !yield(h.header(), nil) {
				return
			}
		}
	}
}

func torn(line []byte, later [][]byte) bool {
	return slices.ContainsFunc(later, func(l []byte) bool { return bytes.HasPrefix(l, line) })
}

// auditLines returns the lines of the audit file, or none if it is missing. It removes the zeros that a power cut
// may leave at the end.
func (j *Journal) auditLines() ([][]byte, error) {
	data, err := j.fsys.ReadFile(j.audit, j.maxAudit)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if line = bytes.TrimRight(line, "\x00"); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// lastAudited returns the largest id in the audit file. If it is too large to be ours, the file is set aside. The
// caller holds the lock.
func (j *Journal) lastAudited() (int, error) {
	lines, err := j.auditLines()
	if errors.Is(err, jail.ErrTooLarge) {
		return 0, j.moveNew(j.audit, j.damaged, path.Base(j.audit))
	}
	newest := 0
	for _, line := range lines {
		if h, err := j.decodeHeader(line); err == nil {
			newest = max(newest, h.ID)
		}
	}
	return newest, err
}

// prune moves the headers of records beyond the kept ones to the audit file and removes the records. It moves
// several at a time, since that costs a sync. It is not part of the change: if it fails, the next change repeats
// it.
func (j *Journal) prune() {
	ids, err := j.ids(j.journal)
	if err != nil || len(ids) <= j.keep+j.keep/8 {
		return
	}
	if ids, err = j.newest(len(ids)); err != nil || len(ids) <= j.keep+j.keep/8 {
		return
	}
	old := ids[:len(ids)-j.keep]
	var lines []byte
	for _, id := range old {
		line, err := j.line(id)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return
		}
		if err == nil {
			lines = append(append(lines, '\n'), line...) // a newline first, since the last append may be incomplete
		}
	}
	if err := j.log(lines); err != nil {
		return
	}
	for _, id := range old {
		_ = j.remove(path.Join(j.journal, recordName(id)))
	}
}

// log appends to the audit file and syncs it. It syncs the file's name once, as makeFolders does.
func (j *Journal) log(lines []byte) error {
	if info, err := j.fsys.Lstat(j.audit); err == nil && info.Size() > 0 && info.Size()+int64(len(lines)) > j.maxAudit {
		if err := j.moveNew(j.audit, j.damaged, path.Base(j.audit)); err != nil {
			return err
		}
		j.audited.Store(false)
	}
	if err := j.fsys.Append(j.audit, lines); err != nil {
		return err
	}
	if err := j.fsys.Sync(j.audit); err != nil || j.audited.Load() {
		return err
	}
	if err := j.fsys.SyncDir(j.dir); err != nil {
		return err
	}
	j.audited.Store(true)
	return nil
}
