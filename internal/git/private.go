package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// config is the whole configuration that git sees. showRoot is off, since the first commit of a shallow clone
// would otherwise seem to add every file. The commit graph and the index of several packs are off: they duplicate
// facts from the objects, and git would trust them. Windows of packs are small, so that large packs do not fill
// the memory.
const config = `[core]
	repositoryformatversion = %d
	bare = true
	fsmonitor = false
	commitGraph = false
	multiPackIndex = false
	packedGitWindowSize = 16m
	packedGitLimit = 256m
	deltaBaseCacheLimit = 64m
	hooksPath = %s
	attributesFile = %s
	quotePath = false
	pager = cat
[extensions]
	objectformat = %s
[log]
	showRoot = false
	showSignature = false
	mailmap = false
[i18n]
	logOutputEncoding = UTF-8
[protocol]
	allow = never
[gc]
	auto = 0
[maintenance]
	auto = false
`

// makePrivate makes an empty git folder for one run; the caller removes it.
func (r *Repository) makePrivate(hashLen int) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "brv-lsp-git-"); err != nil {
		return "", err
	}
	if err = r.fillPrivate(dir, hashLen); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

func (r *Repository) fillPrivate(dir string, hashLen int) error {
	format, version := "sha1", 0
	if hashLen == 64 {
		format, version = "sha256", 1
	}
	text := fmt.Sprintf(config, version, os.DevNull, os.DevNull, format)
	if version == 0 {
		text = strings.Replace(text, "[extensions]\n\tobjectformat = sha1\n", "", 1)
	}
	files := map[string]string{"config": text, "HEAD": "ref: refs/heads/none\n"}
	switch shallow, err := readIn(r.common, "shallow"); {
	case err == nil:
		files["shallow"] = string(shallow)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, "refs"), 0o700)
}

// kept lists the variables of our own environment that git needs to start: the places of programs, libraries and
// temporary files. It contains no GIT_ variable.
var kept = []string{"PATH", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DEVELOPER_DIR"}

// environment is git's complete environment.
func (r *Repository) environment(private string) []string {
	env := []string{
		"GIT_DIR=" + private,
		"GIT_OBJECT_DIRECTORY=" + r.objects(),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_PAGER=cat",
		"HOME=" + private,
		"XDG_CONFIG_HOME=" + private,
		"LC_ALL=C",
	}
	for _, name := range kept {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
