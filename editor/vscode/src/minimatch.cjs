const { matchesGlob } = require("node:path");

/** What the language client needs of minimatch (29 KB with what it brings): node has the same matching since 22.5. */
exports.Minimatch = class Minimatch {
  constructor(pattern) {
    this.pattern = pattern;
  }

  makeRe() {
    return this.pattern !== "";
  }

  match(file) {
    return matchesGlob(file, this.pattern);
  }
};
