// Package derived makes what can be made again from entries: the summaries of folders ([Summaries], `_index.md`), the
// manifest ([NewManifest], `_manifest.json`) and the stub of an archived entry ([RenderStub]), and says which entries
// may be archived ([Archivable]). It writes nothing.
package derived
