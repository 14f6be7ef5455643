/**
 * Text for a message of the editor. The editor makes links of `[text](command:…)` in messages, and what
 * models, entries and file names say must not become one.
 */
export function plain(text: string): string {
  return text.replaceAll("](", "] (");
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
