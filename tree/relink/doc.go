// Package relink plans the edits of entries by which relations go on to lead where they led: after a file or folder
// moved ([PlanMove]), an entry went into another one ([Redirect]) or away ([Detach]), or a relation is to be written
// in another way ([Respell]). It writes nothing: edits are byte ranges with their new text.
package relink
