// Package txntest has file systems that fail on purpose, for tests of package
// txn and of what is built on it.
//
//   - [Disk] is a file system in memory that keeps apart what a program sees and
//     what would be left after a power cut: bytes and names are durable only when
//     they were synced, each for itself. [Disk.Crash] returns one of the states
//     that a power cut at this moment may leave.
//   - [Steps] is a layer over any file system, the real one too, that counts the
//     steps and calls a hook before each, which may end the process, return an
//     error, change a file as a user would, or take crash states.
//   - [Syncs] leaves out the syncs of one place in the code, to see whether the
//     tests notice.
//
// The disk is harsher than real ones: of what was not synced any mix survives,
// bytes may be missing, cut or zero, and of a rename's two names one may
// survive without the other, unless [Disk.Journal] says otherwise.
package txntest
