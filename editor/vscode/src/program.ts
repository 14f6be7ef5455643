import * as path from "node:path";

/** Where the server's program is, or why there is none and what to do about it. */
export type Program = { path: string } | { problem: string };

export interface Places {
  /** The user's setting `brv.server.path`; empty if not set. */
  configured: string;
  extensionDir: string;
  platform: NodeJS.Platform;
  arch: string;
  isProgram(file: string): boolean;
}

/**
 * Finds the configured server, else the one that came with the extension. PATH is
 * not searched: which program runs should not depend on how the editor was started.
 * A configured server that is not there is an error, so that a typing mistake does
 * not silently run another version.
 */
export function findProgram(places: Places): Program {
  const { configured } = places;
  if (configured !== "") {
    if (!path.isAbsolute(configured)) {
      return { problem: `the setting brv.server.path must be an absolute path, but is "${configured}".` };
    }
    if (!places.isProgram(configured)) {
      return { problem: `the setting brv.server.path names "${configured}", which is not a program that can be run.` };
    }
    return { path: configured };
  }
  const bundled = path.join(places.extensionDir, "bin", places.platform === "win32" ? "brv-lsp.exe" : "brv-lsp");
  if (places.isProgram(bundled)) {
    return { path: bundled };
  }
  return {
    problem:
      `this build of the extension has no server for ${places.platform}-${places.arch}. ` +
      `Build brv-lsp with Go and set brv.server.path to it.`,
  };
}
