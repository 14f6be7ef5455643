import { TokenStore } from "../db/token_store";

/** Blocks every token of one login. Rows stay, as evidence. */
export async function revokeFamily(store: TokenStore, family: string): Promise<void> {
  for (const token of await store.family(family)) {
    await store.markUsed(token.id);
  }
}
