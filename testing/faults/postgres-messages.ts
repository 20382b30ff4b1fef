/** The part of the Postgres protocol that tells which statement an answer belongs to. */

export interface Message {
  /** One letter; empty for what a client opens its connection with. */
  type: string;
  /** The whole message, as it goes over the wire. */
  bytes: Buffer;
}

/** Cuts a stream into messages. @param opens  true for what a client sends: its first message has no type */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #opens: boolean;

  constructor(opens: boolean) {
    this.#opens = opens;
  }

  /** The messages that are complete now. */
  read(chunk: Buffer): Message[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const typeBytes = this.#opens ? 0 : 1;
      if (this.#rest.length < typeBytes + 4) return messages;
      const length = typeBytes + this.#rest.readInt32BE(typeBytes);
      if (this.#rest.length < length) return messages;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#opens = false;
      messages.push({ type: bytes.toString('latin1', 0, typeBytes), bytes });
    }
  }
}

/**
 * Follows a client's messages: which statements form a transaction, and when its end is requested. One instance per
 * connection; pipelined statements are supported.
 */
export class Asked {
  readonly #prepared = new Map<string, string>();
  #bound = '';
  #open: string[] | null = null;

  /**
   * @returns null where the message is not the end of a statement; the transaction that this statement ends, or an
   *   empty one where none ends
   */
  take({ type, bytes }: Message): readonly string[] | null {
    switch (type) {
      case 'P': {
        const [name = '', text = ''] = textsOf(bytes);
        this.#prepared.set(name, text);
        return null;
      }
      case 'B': {
        const [, name = ''] = textsOf(bytes);
        this.#bound = this.#prepared.get(name) ?? '';
        return null;
      }
      case 'S':
        return this.#end(this.#bound);
      case 'Q':
        return this.#end(textsOf(bytes)[0] ?? '');
      default:
        return null;
    }
  }

  #end(text: string): readonly string[] {
    if (/^begin\b/i.test(text)) {
      this.#open = [];
      return [];
    }
    if (this.#open === null) return [text];
    if (/^(commit|rollback)\b/i.test(text)) {
      const whole = text.startsWith('c') ? this.#open : [];
      this.#open = null;
      return whole;
    }
    this.#open.push(text);
    return [];
  }
}

function textsOf(bytes: Buffer): string[] {
  return bytes.toString('utf8', 5).split('\0');
}

/** Whether a transaction changes rows. */
export function changesRows(statements: readonly string[]): boolean {
  return statements.some((text) => /\b(insert\s+into|update|delete\s+from)\b/i.test(text));
}

/** The answer of a server that has no free connection, before it closes. */
export function tooManyConnections(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C53300', 'Msorry, too many clients already', '', ''];
  const body = Buffer.from(fields.slice(0, -1).join('\0') + '\0', 'utf8');
  const head = Buffer.alloc(5);
  head.write('E', 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
