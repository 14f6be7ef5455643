// Package treetest is for tests of context trees: texts of random and of large trees, and what a process used.
package treetest
