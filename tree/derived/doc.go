// Package derived makes the files that can be generated from entries: the summaries of folders ([Summaries],
// `_index.md`), the manifest ([NewManifest], `_manifest.json`) and the stub of an archived entry
// ([RenderStub]). It also lists the entries that may be archived ([Archivable]). It writes no files.
package derived
