const BEARER = /^bearer +(.+)$/i;

/** Null if there is none (§5.4). */
export function readBearerToken(authorization: string | undefined): string | null {
  return BEARER.exec(authorization ?? '')?.[1]?.trim() || null;
}
