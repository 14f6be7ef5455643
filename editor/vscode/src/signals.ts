/**
 * What the editor knows and the server cannot: which files are open, what was edited,
 * what other extensions complain of and where they see references. It is bounded here,
 * in plain values; pack.ts collects it.
 */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** Beyond these counts a signal says nothing more, and each place costs the server a look. */
export const most = { open: 50, edits: 20, problems: 50, references: 50 };

/** How long other extensions may take to find references. A pack must not feel slower for them. */
export const referencesWithin = 300;

interface UriLike {
  scheme: string;
  path: string;
  toString(): string;
}

/** The files among URIs, each once, those first that come first. */
export function files(uris: Iterable<UriLike>, except: string | undefined): string[] {
  const found = new Set<string>();
  for (const uri of uris) {
    const text = uri.toString();
    if (uri.scheme === "file" && text !== except && found.size < most.open) {
      found.add(text);
    }
  }
  return [...found];
}

/** The lines between the first and the last that are visible, also if some between are folded. */
export function visible(ranges: readonly Range[]): Range | undefined {
  const [first, last] = [ranges[0], ranges.at(-1)];
  return first && last && { start: plain(first.start), end: plain(last.end) };
}

export interface Problem {
  uri: string;
  range: Range;
  message: string;
  severity: number;
}

/** Errors and warnings, the nearest to the cursor first. The editor counts severities from 0, the protocol from 1. */
export function problems(uri: string, all: readonly { range: Range; message: string; severity: number }[], cursor: Position): Problem[] {
  return all
    .filter(({ severity }) => severity <= 1)
    .map(({ range, message, severity }) => ({ uri, range: plainRange(range), message, severity: severity + 1 }))
    .sort((a, b) => a.severity - b.severity || distance(a.range, cursor) - distance(b.range, cursor))
    .slice(0, most.problems);
}

function distance(range: Range, to: Position): number {
  return Math.abs(range.start.line - to.line);
}

/** Places in files; the context tree knows by itself where it is mentioned. */
export function references(all: readonly { uri: UriLike; range: Range }[]): { uri: string; range: Range }[] {
  return all
    .filter(({ uri }) => uri.scheme === "file" && !uri.path.includes("/.brv/"))
    .slice(0, most.references)
    .map(({ uri, range }) => ({ uri: uri.toString(), range: plainRange(range) }));
}

/** The result of work, or undefined if it fails or takes longer. */
export async function within<T>(ms: number, work: PromiseLike<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

export interface Edit {
  uri: string;
  position: Position;
  ageMs: number;
}

/** Edits on lines as close as this are one. */
const sameEdit = 10;

/** The places that were edited last. They move with the lines above them. */
export class RecentEdits {
  private edits: { uri: string; position: Position; at: number }[] = [];

  note(uri: string, changes: readonly { range: Range; text: string }[], at: number): void {
    for (const { range, text } of changes) {
      const added = text.split("\n").length - 1;
      const shift = added - (range.end.line - range.start.line);
      this.edits = this.edits.filter(
        (edit) => edit.uri !== uri || edit.position.line < range.start.line - sameEdit || edit.position.line > range.end.line + sameEdit,
      );
      for (const edit of this.edits) {
        if (edit.uri === uri && edit.position.line > range.end.line) {
          edit.position.line += shift;
        }
      }
      this.edits.push({ uri, position: plain(range.start), at });
    }
    this.edits = this.edits.slice(-most.edits);
  }

  /** The latest first. */
  list(now: number): Edit[] {
    return this.edits.map(({ uri, position, at }) => ({ uri, position: plain(position), ageMs: Math.max(0, now - at) })).reverse();
  }
}

function plainRange({ start, end }: Range): Range {
  return { start: plain(start), end: plain(end) };
}

function plain({ line, character }: Position): Position {
  return { line, character };
}
