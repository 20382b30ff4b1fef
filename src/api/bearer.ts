const BEARER = /^bearer +(.+)$/i;

/** The API token of an `Authorization` header; null if it has none (§5.4). */
export function readBearerToken(authorization: string | undefined): string | null {
  return BEARER.exec(authorization ?? '')?.[1]?.trim() || null;
}
