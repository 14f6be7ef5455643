const parse = require("./parse.cjs");

/** Whether a version is at least the one behind the ^ of a range, and of the same major number. */
module.exports = function satisfies(version, range) {
  const least = parse(range.replace(/^\^/, ""));
  if (least === null) throw new Error(`${range} is no range of the form ^1.2.3`);
  const newer = version.minor - least.minor || version.patch - least.patch;
  return version.major === least.major && newer >= 0;
};
