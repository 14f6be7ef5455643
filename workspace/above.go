package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Above is the project that the folder here belongs to: the nearest folder at or above it
// with a `.brv` folder; where the search ends without one, the top of its git repository, or
// else here itself.
//
// What stands above can be another user's, who would then say what this one's programs read.
// So the search ends, as git's does (safe.directory, GIT_DISCOVERY_ACROSS_FILESYSTEM):
//
//   - with the folder that holds `.git`: what is above it is another project;
//   - below the home folder, and where another file system begins;
//   - below a folder that everybody may write to, as /tmp is;
//   - below a folder that belongs to somebody else than the user and the owner of here.
//
// A `.brv` that is a link, or somebody else's, is none. Only the folder here is taken as it
// is: the user has gone there.
func Above(here string) string {
	first, err := os.Stat(here)
	if err != nil {
		return here
	}
	home, _ := os.UserHomeDir()
	for dir := here; ; dir = filepath.Dir(dir) {
		if dir != here && (dir == home || !mayHold(dir, first)) {
			return here
		}
		if info, err := os.Lstat(filepath.Join(dir, brvDir)); err == nil && info.IsDir() && (dir == here || ownedLike(info, first)) {
			return dir
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

// mayHold reports whether the project of a folder may be that of one above it.
func mayHold(above string, here fs.FileInfo) bool {
	const everybody = 0o002
	info, err := os.Stat(above)
	return err == nil && info.Mode()&(everybody|fs.ModeSticky) == 0 && ownedLike(info, here) && onDeviceOf(info, here)
}
