import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { StoreError } from './errors.ts';

export const KEY_CHECK = 'app_key_check';

/**
 * AES-256-GCM with a key derived from APP_KEY (§5.9): `v1.` and base64url of nonce, tag and ciphertext. `place` (table
 * and column) is bound in, so a copy in another column doesn't open.
 */
export class Sealer {
  readonly #key: Buffer;

  constructor(appKey: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', appKey, '', 'belfry secrets at rest', 32));
  }

  seal(place: string, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** Throws STORE_WRONG_KEY for another key or place. */
  open(place: string, sealed: string): string {
    const bytes = Buffer.from(sealed.slice('v1.'.length), 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(12, 28));
      return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new StoreError('STORE_WRONG_KEY', `a sealed value of ${place} does not open`, {
        cause,
      });
    }
  }
}

/** A text that is unique to the database, so the result reveals nothing. */
export function installationOf(sealedKeyCheck: string): string {
  return createHash('sha256').update(sealedKeyCheck).digest('hex').slice(0, 16);
}

export function isKeyOf(appKey: Uint8Array, sealedKeyCheck: string): boolean {
  try {
    new Sealer(appKey).open(KEY_CHECK, sealedKeyCheck);
    return true;
  } catch {
    return false;
  }
}
