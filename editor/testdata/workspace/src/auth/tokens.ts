import { sign } from "./signing";
import { revokeFamily } from "./sessions";
import { TokenStore } from "../db/token_store";

const ACCESS_MINUTES = 15;
const REFRESH_DAYS = 7;

export interface TokenPair {
  access: string;
  refresh: string;
}

/** Signs a new access token and stores a new refresh token of the given family. */
export async function issueTokens(store: TokenStore, userId: string, family: string): Promise<TokenPair> {
  const access = sign({ sub: userId, expiresInMinutes: ACCESS_MINUTES });
  const refresh = await store.insert({ userId, family, expiresInDays: REFRESH_DAYS });
  return { access, refresh };
}

/** Exchanges a refresh token for a new pair. Using one twice ends its family. */
export async function rotateRefreshToken(store: TokenStore, presented: string): Promise<TokenPair> {
  const token = await store.find(presented);
  if (token === undefined) {
    throw new Error("unknown refresh token");
  }
  if (token.usedAt !== undefined) {
    await revokeFamily(store, token.family);
    throw new Error("refresh token was used before");
  }
  await store.markUsed(presented);
  return issueTokens(store, token.userId, token.family);
}
