// Package plan computes the effect of a batch of operations on a context tree.
//
// [New] plans a [Batch] of operations ([Op]) on a snapshot and returns a [Plan]: the snapshot after it, the
// result of each operation ([Result]), and the operations that wait for a review. Approving is planned the
// same way, by [Review]. Planning is pure: all that it depends on besides the snapshot and the batch is a
// value, [Inputs]; nothing here reads a disk or a clock. Package store carries out the plan.
//
// The program, never the batch, states who proposed a batch ([format.Origin]). Batches of agents and models
// are screened before they are planned ([Batch.Screen]), and refused as a whole if a path is not an entry's.
package plan
