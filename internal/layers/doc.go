// Package layers holds tests only: they check that the code keeps the design.
//
// docs/design.md lists the packages from top to bottom in a fenced block. The
// tests read that block and every Go file of the module, and fail, naming file
// and import, when
//
//   - a package imports one that does not stand below it (a test file may also
//     import what lies in its own folder, such as a fixture package);
//   - an outside dependency, a network package, os/exec or cgo is used by a
//     package that does not own it, or a test library outside of tests;
//   - a package is missing in the list, or called util, common, helper, manager
//     or misc;
//   - a package or an exported name has no doc comment;
//   - a file has more than 800 lines;
//   - a package has more than 40 files, or imports more than 15 packages of ours
//     (cmd, bench and packages for tests may), or a type has more than 40 methods;
//   - of the arrows between the files of a package of more than three (a file uses a
//     name, method or field that the other declares) more than a tenth run upward
//     in the best order of the files (in bench and packages for tests they may);
//   - the product has more lines than the ceiling in docs/decisions.md allows;
//   - a package of the list pure, or one that it imports, can reach a disk, a
//     process, the network or the environment.
//
// Where more than a limit makes better code, the table of exceptions says so with
// the figure, which may fall and not rise; a line that is not needed fails too, so
// that the table only shrinks. With -v, -update shows the table with the present figures.
//
// The files are parsed, not listed by the go command: that sees only what the
// machine's own system and tags select. The checker is tested on small modules
// in testdata that break each rule.
package layers
