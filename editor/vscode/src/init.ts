import { folder, withProgress } from "./ask";
import type { Server } from "./server";

/** Makes an empty context tree in the folder; what is there already stays. The server reports what it did. */
export async function initTree(server: Server): Promise<void> {
  const request = { command: "brv.init", arguments: [{ uri: folder()?.uri.toString() }] };
  await withProgress("Initialising the context tree", (token) => server.request("workspace/executeCommand", request, token));
}
