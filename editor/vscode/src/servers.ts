import * as vscode from "vscode";

/** The tool server of each folder for the editor's agents: the program that the extension runs, and no configuration file. */
export function registerServers(program: () => string, version: string): vscode.Disposable[] {
  const changes = new vscode.EventEmitter<void>();
  return [
    changes,
    vscode.workspace.onDidGrantWorkspaceTrust(() => changes.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changes.fire()),
    vscode.lm.registerMcpServerDefinitionProvider("brv", {
      onDidChangeMcpServerDefinitions: changes.event,
      provideMcpServerDefinitions: () => definitions(program, version),
    }),
  ];
}

/** None where the workspace is not trusted: what the tools answer goes to a model. */
export function definitions(program: () => string, version: string): vscode.McpStdioServerDefinition[] {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  return folders
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ name, uri }) => {
      const label = folders.length === 1 ? "brv" : `brv (${name})`;
      const server = new vscode.McpStdioServerDefinition(label, program(), ["mcp", "--root", uri.fsPath], {}, version);
      server.cwd = uri;
      return server;
    });
}
