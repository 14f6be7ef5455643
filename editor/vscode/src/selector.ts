import * as vscode from "vscode";
import type { DocumentFilter } from "vscode-languageclient/node";

/**
 * Languages whose files can be curated from and are hovered over for linked entries:
 * those that the server parses, as VS Code and the usual extensions name them. The activation events in package.json are the same.
 */
export const codeLanguages = [
  "c", "cpp", "csharp", "go", "hcl", "java", "javascript", "javascriptreact", "kotlin", "lua", "php", "proto",
  "proto3", "python", "rust", "scala", "shellscript", "sql", "swift", "terraform", "typescript", "typescriptreact",
];

/** The entries that are drafted: untitled, at the path to which saving writes them. */
export const draftSelector = { scheme: "untitled", language: "markdown", pattern: "**/.brv/context-tree/**/*.md" };

/** The file that a draft becomes; any other address as it is. */
export function fileOf(uri: vscode.Uri): vscode.Uri {
  return uri.scheme === draftSelector.scheme && uri.path.includes("/.brv/context-tree/") ? uri.with({ scheme: "file" }) : uri;
}

/** Opens a file, or the draft that becomes it. */
export const openCommand = "brv.open";

/** The address under which the editor has a file: a draft's where it is not saved yet. */
export function asOpen(file: vscode.Uri): vscode.Uri {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === draftSelector.scheme && uri.path === file.path)?.uri ?? file;
}

/** What a row does that opens a file. The editor's own command knows a click from a double click, but not drafts. */
export function opening(file: vscode.Uri, options: vscode.TextDocumentShowOptions): vscode.Command {
  return { title: "Open", command: asOpen(file) === file ? "vscode.open" : openCommand, arguments: [file, options] };
}

/**
 * Entries of the tree and their drafts, the project's settings, code, and Markdown: of what is no document of the
 * repository the server says nothing. No file of Markdown starts the extension.
 */
export const documentSelector: DocumentFilter[] = [
  { scheme: "file", language: "markdown" },
  draftSelector,
  { scheme: "file", pattern: "**/.brv/config.json" },
  ...codeLanguages.map((language) => ({ scheme: "file", language })),
];
