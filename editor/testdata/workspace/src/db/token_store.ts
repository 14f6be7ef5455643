export interface StoredToken {
  id: string;
  userId: string;
  family: string;
  usedAt?: Date;
}

/** The refresh tokens that were ever issued. */
export interface TokenStore {
  find(id: string): Promise<StoredToken | undefined>;
  family(name: string): Promise<StoredToken[]>;
  insert(token: { userId: string; family: string; expiresInDays: number }): Promise<string>;
  markUsed(id: string): Promise<void>;
}
