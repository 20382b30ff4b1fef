import type { Assertion } from '#domain/judging/assertion';
import type { HeaderList } from '#domain/http/exchange';
import { UNREADABLE_TEXTS } from '#domain/judging/judge';
import type { SecretReader } from './claims.ts';
import { openHeaders } from './headers.ts';
import { parseList } from '../database/parse-list.ts';
import { remembered } from '../database/remembered.ts';
import type { Sealer } from '../database/seal.ts';

/** A part that can't be decrypted or is damaged is left out and noted, so other rows stay readable. */
export class PartsReader {
  /** Null if all can be read. */
  unreadable: string | null = null;

  read<T>(part: keyof typeof UNREADABLE_TEXTS, open: () => T, instead: T): T {
    try {
      return open();
    } catch {
      this.unreadable ??= UNREADABLE_TEXTS[part];
      return instead;
    }
  }

  readHeaders(sealer: Sealer, table: 'jobs' | 'crons', sealed: string | null): HeaderList {
    return this.read('headers', () => openHeaders(sealer, table, sealed), []);
  }

  readAssertions(text: string): readonly Assertion[] {
    return this.read('assertions', () => parseAssertions(text), []);
  }

  readSecret(secrets: SecretReader, sealed: string | null): string | null {
    return this.read('secret', () => secrets.open(sealed), null);
  }

  /** Stored as a JSON string literal. */
  readPayload(text: string | null): string | null {
    return this.read('payload', () => (text === null ? null : parseString(text)), null);
  }
}

const parsed = new Map<string, readonly Assertion[]>();

/** The same list for the same text: runs share derived results (`needsOf`). */
function parseAssertions(text: string): readonly Assertion[] {
  return remembered(parsed, text, () => parseList<Assertion>(text));
}

function parseString(text: string): string {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'string') throw new TypeError('not a string');
  return value;
}
