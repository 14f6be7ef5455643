// Package txn changes several files of one folder as one step, which survives
// crashes and power loss, never overwrites an edit that someone made meanwhile,
// and can be taken back later.
//
// # What it promises
//
//   - All or nothing: after a crash, a kill or a power cut at any moment, the next
//     call leaves the files as before the change or as after it, never mixed.
//   - What [Journal.Commit] has returned without an error stays, also through a
//     power cut at that moment.
//   - Nobody's edit is lost. A change says what it expects to find, and does
//     nothing if something else is there ([ConflictError]). An edit that falls
//     into the moment between that check and the change stays, and is reported;
//     people, git and editors need know nothing of us.
//   - Any number of processes may commit at once. One waits for the others as
//     long as they make progress.
//   - Every change can be taken back, bytes, mode and time ([Record.Inverse]),
//     while its record is kept; that it was made is on record for ever.
//
// # The journal's files
//
// They are in one folder, called state/ here:
//
//	state/lock               held by whoever changes something; names the holder
//	state/lock.next          held by whoever is next
//	state/txn/               the change under way; empty at all other times
//	state/journal/<id>       the records of the newest changes, ten digits each
//	state/audit.jsonl        one line for each older change
//	state/damaged/           records that could not be read or are a stranger's, and audit files that were full
//	state/saved/             see "Edits in the last moment"
//	state/replace.lock, .tmp of [Journal.Replace]
//
// record.go describes a record. The folder is made by the first change; opening
// and reading a journal write nothing.
//
// # How a change is made
//
// Under the lock, after recovery:
//
//  1. The caller plans. Every file is compared with what the plan expects.
//  2. Staging: each new content is written to state/txn/<id>-<hash>.<n>, and the
//     record, with all contents before and after, to state/txn/<id>.tmp; all are
//     synced. A full disk shows here, before anything has happened.
//  3. The record is renamed to state/txn/<id>, and that folder synced. This is
//     the commit point: before it nothing has happened, after it all will.
//  4. Each file is put in place: an existing one by swapping names with the staged
//     one (renameat2 with RENAME_EXCHANGE on Linux, renameatx_np with RENAME_SWAP
//     on macOS), a new one by a rename that never replaces (RENAME_NOREPLACE,
//     RENAME_EXCL, else a hard link), a deletion by a rename out of the folder.
//     What came out is compared with what was expected.
//  5. The folders concerned are synced and what came out is compared again.
//     The record gets its name in state/journal, that folder is synced, what came
//     out goes to state/saved, and the name in state/txn goes. Only then does
//     Commit return.
//
// A change of n files in one folder costs n + 4 syncs: n staged files, the
// record, and the folders state/txn, the files' own, and state/journal. Each is
// needed: the tests leave out one after the other and must notice. There are
// fewer than one would think, since the removal of names need not be durable:
// ids rise and changes are serial, so that of the records in state/txn only
// the one with the largest id of all can be unfinished. Another is a name that
// a power cut brought back.
//
// Staging in state/txn rather than beside the files has three reasons: what is
// left by a crash is found in one place, even if the commit point was never
// reached; watchers, synchronisers and git never see a temporary file; and a
// full disk stops a change before its commit point. If state/ is on another
// device than the files, staging is done a second time beside them, hidden, after
// the commit point.
//
// The lock is a kernel lock, so it ends with its holder. Who waits for it gives up
// with [ErrBusy] when one holder has kept it for [Options].Wait; a holder that
// changes, which the token in the lock file tells, is progress.
//
// # Recovery
//
// Everything is told from contents, so recovery can itself be killed anywhere and
// begun again. Without a record in state/txn, all staged files are garbage. With
// one, each file is as after (done), as before (the change is made), or it is
// someone's edit since (left, and reported). A staged name that holds neither
// content holds an edit that was swapped out, and is put back.
//
// If a change cannot be finished after its commit point, say because one of the
// folders may not be written ([FileError]), it is taken back in the same way and has then not
// happened; otherwise it would stop all later ones. If that fails too, the error
// is [ErrUnfinished] and the next call tries both again.
//
// # Edits in the last moment
//
// What a swap brings out and is not what was expected, is someone's edit made
// since the check, and is swapped back. Should they have written yet another
// version in that moment, the newest one stays in place and the older one goes to
// state/saved. The same for a program that had opened the old file before the swap
// and writes into it afterwards, up to the second comparison.
//
// What it writes after that is in no file that has a name in the tree. So what came
// out is not removed: when the record is filed, it is renamed to state/saved, where
// such a program goes on writing into it. Whatever there differs from the record is
// someone's text: [Journal.Saved] lists it with the file that it was written for,
// until somebody removes it. What does not differ is removed
// by a later change, compared once more: a minute after its own change, or when there
// are over 256 files or 64 MiB. What a power cut leaves of the renaming is
// in state/txn or in state/saved, and the next recovery renames it.
//
// Limits: a program that writes over a minute later, or has its writes on the way in
// a network file system while the file is removed, writes into nothing. Where state/
// is on another device than the files, or a change is taken back, what came out is removed
// after the second comparison. An empty file is nobody's text: a program that empties
// a file before it writes it is waited for by the caller (package tree). Without that a change is refused
// where a file that it expects to be empty was emptied within ten seconds, as the file's time tells; and
// taken back where that time or the content is another when the file comes out of its place.
//
// Where there is no swap (Windows, network folders) the old file is renamed out
// of the way, compared, and the new one renamed in: nobody's edit is lost there
// either, but for a moment the name does not exist.
//
// # Records of strangers
//
// The folder may come from anyone, and its journal with it. A record is ours if its header has
// the seal of this user for this folder (package seal). One that is not is never carried out,
// listed or taken back, whatever its version; [Journal.Foreign] names it. It stays where it is, as it
// may be somebody's, and new records are numbered past it, unless its id leaves too few: then it is
// moved to state/damaged. Names of staged and kept files hold a mark that only this user can make.
//
// A change is about files that [Options].MayChange allows, and makes none executable: bits to run
// a file that are not on disk before are dropped.
//
// # Limits
//
// A replaced file is a new one: hard links to it are cut, extended attributes and
// a foreign owner are not carried over (taking a change back restores what this
// package knows: bytes, mode, time). Only regular files are changed. The lock is
// the kernel's, and on network file systems may exclude this machine's processes
// only; the comparisons still hold. No decision about a change depends on the clock but that about an emptied file; what
// came out is removed the sooner or later for a wrong one, but compared before. The record
// of a change is held in memory as a whole, at most 256 MiB; its contents may have 224 MiB, and so may
// what takes it back.
package txn
