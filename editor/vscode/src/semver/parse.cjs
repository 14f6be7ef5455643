// The language client asks semver two things of the editor's version; these two files answer them in the bundle in
// place of the package, of which they would bring all (20 KB).

/** The numbers of a version such as 1.101.0 or 1.102.0-insider. */
module.exports = function parse(version) {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)(?![\d.])/.exec(version) ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor), patch: Number(patch) };
};
