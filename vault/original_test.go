package vault

// Original is a note as its file was, for tests.
var Original = original
