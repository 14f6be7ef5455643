// Package plan says what a batch of operations would do to a context tree.
//
// [New] plans a [Batch] of operations ([Op]) on a snapshot and returns a [Plan]: the snapshot after it, what each
// operation did ([Result]), and what waits for a review. Approving what waits is planned the same way, by [Review].
// Planning is pure: all that it depends on besides the snapshot and the batch is a value, [Inputs]; nothing here
// reads a disk or a clock. What the plan says is carried out by package store.
//
// Who proposed a batch is told by the program ([format.Origin]), never by the batch. What agents and models propose
// is screened before it is planned ([Batch.Screen]), and refused as a whole where a path is not an entry's.
package plan
