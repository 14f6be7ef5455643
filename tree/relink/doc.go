// Package relink plans edits of entries that keep relations pointing at their targets: after a file or folder
// moved ([PlanMove]), after an entry was merged into another ([Redirect]) or removed ([Detach]), or when a
// relation is written in another way ([Respell]). It writes nothing: edits are byte ranges with their new text.
package relink
