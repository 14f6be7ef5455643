// Package txn changes several files of one folder in one step. A change survives
// crashes and power loss, never overwrites an edit that someone made meanwhile,
// and can be taken back later.
//
// # What it promises
//
//   - All or nothing: after a crash, a kill or a power cut at any moment, the next
//     call leaves the files as before the change or as after it, never mixed.
//   - A change for which [Journal.Commit] has returned without an error stays,
//     even if there is a power cut at that moment.
//   - No edit is lost. A change states the content that it expects, and does
//     nothing if a file differs ([ConflictError]). An edit that is made between
//     that check and the change stays, and is reported. People, git and editors
//     need not know about this package.
//   - Any number of processes may commit at once. One waits for the others as
//     long as they make progress.
//   - Every change can be taken back with bytes, mode and time ([Record.Inverse])
//     while its record is kept. The fact that it was made is recorded for ever.
//
// # The journal's files
//
// They are in one folder, called state/ here:
//
//	state/lock               held by the process that makes a change; names the holder
//	state/lock.next          held by the process that is next
//	state/txn/               the running change; empty at all other times
//	state/journal/<id>       the records of the newest changes, ten digits each
//	state/audit.jsonl        one line for each older change
//	state/damaged/           records that are unreadable or a stranger's, and audit files that were full
//	state/saved/             see "Edits in the last moment"
//	state/replace.lock, .tmp of [Journal.Replace]
//
// record.go describes a record. The first change makes the folder. Opening and
// reading a journal write nothing.
//
// # How a change is made
//
// Under the lock, after recovery:
//
//  1. The caller plans. Every file is compared with what the plan expects.
//  2. Staging: each new content is written to state/txn/<id>-<hash>.<n>, and the
//     record, with all contents before and after, to state/txn/<id>.tmp; all are
//     synced. A full disk causes an error here, before anything has changed.
//  3. The record is renamed to state/txn/<id>, and that folder synced. This is
//     the commit point: before it nothing has changed, after it everything will.
//  4. Each file is put in place: an existing one by swapping names with the staged
//     one (renameat2 with RENAME_EXCHANGE on Linux, renameatx_np with RENAME_SWAP
//     on macOS), a new one by a rename that never replaces (RENAME_NOREPLACE,
//     RENAME_EXCL, else a hard link), a deletion by a rename out of the folder.
//     The file that was replaced or removed is compared with the expected one.
//  5. The changed folders are synced, and the replaced files are compared again.
//     The record gets its name in state/journal, and that folder is synced. The
//     replaced files go to state/saved, and the name in state/txn is removed.
//     Only then does Commit return.
//
// A change of n files in one folder costs n + 4 syncs: n staged files, the
// record, and the folders state/txn, the files' own, and state/journal. Each is
// needed: the tests leave out one after the other, and must fail. The removal of
// names need not be durable, which saves syncs. Ids rise and changes are serial,
// so among the records in state/txn only the one with the largest id can be
// unfinished. Any other one is a name that a power cut restored.
//
// Files are staged in state/txn, and not next to their targets, for three
// reasons. The remains of a crash are in one place, even if the commit point was
// not reached. Watchers, synchronisers and git never see a temporary file. And a
// full disk stops a change before its commit point. If state/ is on another
// device than the files, they are staged a second time next to their targets,
// hidden, after the commit point.
//
// The lock is a kernel lock, so it ends with its holder. A process that waits for
// it gives up with [ErrBusy] when one holder has kept it for [Options].Wait. A
// change of the holder, which the token in the lock file shows, counts as progress.
//
// # Recovery
//
// Recovery depends only on contents, so it can itself be killed at any moment and
// repeated. Without a record in state/txn, all staged files are garbage. With a
// record, each file has the content after the change (it is done), the content
// before (the change is made now), or someone's later edit (it stays, and is
// reported). If a staged name has neither of the two contents, it is an edit that
// was swapped out, and is put back.
//
// A change may be impossible to finish after its commit point, for example because
// a folder is not writable ([FileError]). Then it is taken back in the same way,
// since otherwise it would stop all later changes. If that fails too, the error is
// [ErrUnfinished], and the next call tries both again.
//
// # Edits in the last moment
//
// If a swapped-out file differs from the expected one, it is an edit that someone
// made after the check, and it is swapped back. If they wrote another version in
// that moment, the newest one stays in place, and the older one goes to
// state/saved. The same applies to a program that had opened the old file before
// the swap and writes into it afterwards, up to the second comparison.
//
// Later writes of such a program go into a file without a name in the tree. So a
// replaced file is not removed. When the record is filed, it is renamed to
// state/saved, and the program continues to write into it there. A file there that
// differs from the record contains someone's text: [Journal.Saved] lists it with
// the file for which it was written, until somebody removes it. A later change
// removes a file that does not differ, after another comparison: a minute after
// its own change, or when there are more than 256 files or 64 MiB. If a power cut
// interrupts the renaming, the next recovery completes it.
//
// Limits: the text is lost if a program writes more than a minute later, or if its
// writes are still on the way in a network file system when the file is removed. If
// state/ is on another device than the files, or if a change is taken back, a
// replaced file is removed after the second comparison. An empty file counts as
// nobody's text. Some programs empty a file before they write it, and the caller
// (package tree) waits for these. In addition, a change is refused if a file that
// it expects to be empty was emptied within ten seconds, by the file's time. It is
// taken back if the file's time or content has changed when the file is replaced.
//
// On systems without a swap (Windows, network folders), the old file is renamed
// away and compared, and the new one is renamed into its place. No edit is lost
// there either, but for a moment the name does not exist.
//
// # Records of strangers
//
// The folder and its journal may come from anyone. A record is ours if its header has the seal of
// this user for this folder (package seal). Any other record is never carried out, listed or taken
// back, whatever its version; [Journal.Foreign] lists its path. It stays in its place, since it may
// belong to somebody, and new records get larger ids. If its id leaves too few ids, it is moved to
// state/damaged. Names of staged and saved files contain a mark that only this user can make.
//
// A change may affect only files that [Options].MayChange allows. It makes no file executable:
// permissions to execute that a file does not have on disk are dropped.
//
// # Limits
//
// A replaced file is a new file. Hard links to the old one are cut, and extended
// attributes and a foreign owner are not copied. Taking a change back restores only
// bytes, mode and time. Only regular files are changed. On network file systems,
// the kernel's lock may exclude only processes of this machine; the comparisons
// still protect edits there. Only the decision about an emptied file depends on the
// clock. A wrong clock also makes replaced files be removed earlier or later, but
// they are always compared before. The whole record of a change is in memory, at
// most 256 MiB. Its contents may have 224 MiB, and so may those of the change that
// takes it back.
package txn
