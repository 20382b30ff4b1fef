import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What a device can be made to do wrong. */
interface Misbehaviour {
  origin?: string;
  /** False: it has not asked its owner for a PIN, a fingerprint or a face. */
  isVerified?: boolean;
  counter?: number;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** An authenticator in software: ES256, without attestation (WebAuthn Level 2). It answers options with JSON. */
export class PasskeyDevice {
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  #counter = 0;

  /** Makes a passkey, as `navigator.credentials.create` does. */
  create(options: string, wrong: Misbehaviour = {}): string {
    const { challenge, rp } = JSON.parse(options) as { challenge: string; rp: { id: string } };
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const idLength = Buffer.from([0, this.#id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), idLength, this.#id, key]);
    const data = Buffer.concat([this.#dataOf(rp.id, HAS_KEY, wrong), attested]);
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    const clientDataJSON = clientDataOf('webauthn.create', challenge, wrong);
    return this.#write({ clientDataJSON, attestationObject, transports: ['internal'] });
  }

  /** Signs in, as `navigator.credentials.get` does. */
  get(options: string, wrong: Misbehaviour = {}): string {
    const { challenge, rpId } = JSON.parse(options) as { challenge: string; rpId: string };
    const authenticatorData = this.#dataOf(rpId, 0, wrong);
    const clientDataJSON = clientDataOf('webauthn.get', challenge, wrong);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    const signature = sign('sha256', signed, this.#key.privateKey);
    return this.#write({ clientDataJSON, authenticatorData, signature });
  }

  #dataOf(rpId: string, flags: number, { isVerified = true, counter }: Misbehaviour): Buffer {
    const data = Buffer.alloc(37);
    sha256(Buffer.from(rpId)).copy(data);
    data[32] = flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
    data.writeUInt32BE(counter ?? ++this.#counter, 33);
    return data;
  }

  #write(response: Record<string, Buffer | string[]>): string {
    const id = this.#id.toString('base64url');
    const parts = Object.entries(response).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? value.toString('base64url') : value,
    ]);
    return JSON.stringify({
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: Object.fromEntries(parts) as object,
    });
  }
}

function clientDataOf(
  type: string,
  challenge: string,
  { origin = 'http://localhost:3000' }: Misbehaviour,
): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
