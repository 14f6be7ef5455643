package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// ErrNoCommit: the text names no commit of the repository.
var ErrNoCommit = errors.New("not a commit of this repository")

// maxRevision bounds a user's text for a commit, in bytes. Names of references have at most some hundred bytes.
const maxRevision = 400

var (
	// revision matches a name with steps back: "HEAD~2", "main^2~3".
	revision = lazyregexp.New(`^([^~^:@{}\\*?\[\s\x00-\x1f\x7f-][^~^:{}\\*?\[\s\x00-\x1f\x7f]*|@)((?:[~^][0-9]{0,6}){0,16})$`)
	short    = lazyregexp.New(`^[0-9a-f]{4,64}$`)
)

// Resolve returns the hash of the commit that a user names: "HEAD" or "@", a branch, a tag, a full reference, or a
// hash or its first four digits or more, each with optional steps back such as "~2" or "^". Names are resolved as
// in git, a tag before a branch before a hash. Other forms that git knows (reflogs, dates, searches for messages)
// are refused: only digits and steps are passed to git.
func (r *Repository) Resolve(ctx context.Context, written string) (string, error) {
	parts := revision().FindStringSubmatch(written)
	if len(written) > maxRevision || parts == nil {
		return "", fmt.Errorf("%q: %w: write HEAD, a branch, a tag or a hash, optionally with steps such as ~2", clip(written),
			ErrNoCommit)
	}
	start, err := r.named(parts[1])
	if err != nil {
		return "", err
	}
	if start == "" {
		return "", fmt.Errorf("%q: %w: give HEAD, HEAD~1, a branch, a tag or a hash that `git log` lists", clip(written), ErrNoCommit)
	}
	length := len(start)
	if !isHash(start) {
		length = r.hashLen()
	}
	var said []byte
	read := func(out io.Reader) (err error) { said, err = io.ReadAll(io.LimitReader(out, 200)); return err }
	err = r.run(ctx, call{hashLen: length, read: read}, "rev-parse", "--verify", "--quiet", start+parts[2]+"^{commit}")
	hash := strings.TrimSpace(string(said))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, ErrNoProgram) {
		return "", err
	}
	if err != nil || !isHash(hash) {
		return "", r.unresolved(written, parts[1], parts[2])
	}
	return hash, nil
}

// unresolved returns an error that tells why git has no commit for a name with steps.
func (r *Repository) unresolved(written, name, steps string) error {
	why := "give HEAD, HEAD~1, a branch, a tag or a hash that `git log` lists"
	switch {
	case steps != "":
		why = fmt.Sprintf("%s has fewer ancestors; give fewer steps, or a hash that `git log` lists", clip(name))
	case short().MatchString(name) && !isHash(name):
		why = "several commit hashes or none begin with it; give more digits"
	}
	return fmt.Errorf("%q: %w: %s", clip(written), ErrNoCommit, why)
}

// named returns the hash for a name, or the beginning of a hash. It is "" if the name means nothing.
func (r *Repository) named(name string) (string, error) {
	if name == "HEAD" || name == "@" {
		hash, err := r.Head()
		if err == nil && hash == "" {
			err = fmt.Errorf("HEAD: %w: there is no commit yet", ErrNoCommit)
		}
		return hash, err
	}
	if isHash(name) {
		return name, nil
	}
	for _, ref := range []string{name, "refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name,
		"refs/remotes/" + name + "/HEAD"} {
		if !isReference(ref) {
			continue
		}
		switch hash, err := r.follow(ref); {
		case err == nil && hash != "":
			return hash, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	if short().MatchString(name) {
		return name, nil
	}
	return "", nil
}

// hashLen returns the length of the repository's hashes in hex digits, as HEAD shows it.
func (r *Repository) hashLen() int {
	if head, err := r.Head(); err == nil && head != "" {
		return len(head)
	}
	return 40
}
