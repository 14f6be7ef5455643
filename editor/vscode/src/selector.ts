import type { DocumentFilter } from "vscode-languageclient/node";

/**
 * Languages whose files can be curated from and are hovered over for linked entries:
 * those that the server parses. The activation events in package.json are the same.
 */
export const codeLanguages = ["go", "javascript", "javascriptreact", "python", "rust", "typescript", "typescriptreact"];

/**
 * Entries of the tree, the project's settings, code, and Markdown: of what is no document of the repository the server
 * says nothing. No file of Markdown starts the extension.
 */
export const documentSelector: DocumentFilter[] = [
  { scheme: "file", language: "markdown" },
  { scheme: "file", pattern: "**/.brv/config.json" },
  ...codeLanguages.map((language) => ({ scheme: "file", language })),
];
