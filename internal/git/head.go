package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// maxSymbolic bounds a chain of symbolic references to a commit; it is git's own limit.
const maxSymbolic = 5

// Head returns the hash of HEAD's commit, "" before the first commit. It runs no
// program and takes some tens of microseconds.
func (r *Repository) Head() (string, error) {
	return r.follow("HEAD")
}

// follow resolves a reference to a hash, "" if it does not exist yet.
func (r *Repository) follow(start string) (hash string, err error) {
	name := start
	for range maxSymbolic + 1 {
		text, err := r.reference(name)
		if errors.Is(err, fs.ErrNotExist) && name != start {
			return "", nil // it does not exist yet
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", r.dir, err)
		}
		target, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			if hash, _, _ = strings.Cut(text, "\n"); !isHash(strings.TrimSpace(hash)) {
				return "", fmt.Errorf("%s contains no hash", name)
			}
			return strings.TrimSpace(hash), nil
		}
		name = strings.TrimSpace(target)
		if name == "refs/heads/.invalid" {
			return "", fmt.Errorf("%s: %w", r.dir, errUnsupported)
		}
		if !isReference(name) {
			return "", fmt.Errorf("%s: %s points to %q, which is not a reference", r.dir, start, name)
		}
	}
	return "", fmt.Errorf("%s: %s is a chain of too many references", r.dir, start)
}

// folderOf returns the git folder that contains a reference, since some references belong to one worktree.
func (r *Repository) folderOf(ref string) string {
	if ref == "HEAD" || strings.HasPrefix(ref, "refs/bisect/") || strings.HasPrefix(ref, "refs/worktree/") ||
		strings.HasPrefix(ref, "refs/rewritten/") {
		return r.dir
	}
	return r.common
}

// reference reads a reference from its own file, or else from a line of packed-refs.
func (r *Repository) reference(name string) (string, error) {
	text, err := readIn(r.folderOf(name), name)
	if err == nil {
		return string(text), nil
	}
	if name == "HEAD" {
		return "", err
	}
	// "refs/heads/a" is a folder if there is a branch "a/b".
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, jail.ErrNotRegular) {
		return "", err
	}
	packed, err := readIn(r.common, "packed-refs")
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(packed) {
		hash, ref, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if ok && ref == name && isHash(hash) {
			return hash, nil
		}
	}
	return "", fs.ErrNotExist
}

// isReference reports whether a name can only mean a file below refs/.
func isReference(name string) bool {
	return strings.HasPrefix(name, "refs/") && fs.ValidPath(name) && !strings.ContainsAny(name, "\x00\\:*?[~^ \n")
}

// isHash accepts hashes of both object formats: SHA-1 and SHA-256.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// HeadAndCut identifies the checked-out commit, and the history that a shallow clone lacks. It is "" if there is
// no commit.
func (r *Repository) HeadAndCut() string {
	head, err := r.Head()
	if err != nil || head == "" {
		return ""
	}
	return head + r.Shallow()
}

// Shallow identifies the history that a shallow clone lacks: a checksum of the file "shallow", "" for a complete
// clone.
func (r *Repository) Shallow() string {
	text, err := readIn(r.common, "shallow")
	if err != nil || len(text) == 0 {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
