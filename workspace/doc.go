// Package workspace is one opened folder: its context tree, its code, the links
// between them and the search index, wired together and kept up to date.
//
// A [Workspace] owns the moving parts (the tree's [store.Store], the repo map, the
// retriever, the watcher and the open buffers). What a request sees is a [View]:
// one immutable value behind one atomic pointer, so that an answer never mixes
// states. A view holds its inputs (disk snapshot, repo map, open buffers); the
// tree with the buffers laid over it, the links and the index are computed from
// them when first asked for, and shared by later views where the inputs they
// depend on did not change. Taking a view costs a pointer load; opening or
// editing a buffer costs a copy of the (few) open buffers' map. What open buffers
// change in the code is parsed when a request asks about code, not when it is typed.
//
// The files stand in layers. All parts share the core (core.go: the folder, its options, its goroutines) and what
// is shown now (view.go). On these stand the changes on disk that wait (changes.go), the context tree (tree.go), what
// git knows (history.go) and the code (code.go), each of which holds the parts below it, and on them the Workspace.
// Only a view knows the workspace that it is of, and two parts ask a view for what open buffers make of it.
//
// What takes time is a [Stage], or a lazy value with one: it is begun once, and whoever needs it waits as long as their
// [Patience] lasts, goes on without, says so, and is told when it is there.
//
// Locks are taken in the order of these lines, of one line only one at a time:
//
//	work on the disk: treeState.deriving, treeState.refreshing, commitState.reading, codeState.updating
//	what is made of it: laidDocuments.mu, lazy.mu, linker.mu, neighbour.mu, neighbours.mu, otherTrees.mu, walks.mu, and those of features (see [Memory])
//	fields: changeState.mu, codeState.opening, core.starting, docState.mu, idle.mu, reasonState.mu, shown.mu, tasks.mu, tracked.mu, uses.mu
//
// What the editor, the CLI and agents can ask stands in the packages below this folder. A feature
// that reads is a function of a view, one that changes something a function of a workspace; what a
// feature keeps as long as the folder is open is its own [Memory]. Paths are slash-separated and
// relative to the folder, positions are byte offsets into the file's current text: the open buffer,
// else the disk.
//
// Opening a folder writes nothing and starts no program but the syntax worker
// of this same executable. Everything is read through [jail.Root].
package workspace
