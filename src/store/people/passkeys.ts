import type { Row } from '../tables/tables.ts';
import { newId } from '#domain/base/ids';
import type { Context } from '../database/context.ts';
import { addMissing, all, change, one, remove } from '../database/rows.ts';
import { toRecord } from '../database/records.ts';

interface Credential {
  credentialId: string;
  publicKey: Uint8Array;
  /** 0 if the authenticator doesn't count. */
  counter: number;
  transports: readonly string[];
}

export interface StoredPasskey extends Credential {
  id: string;
  userId: string;
  name: string;
  createdAt: number;
}

export const passkeys = {
  /** Oldest first. */
  async list({ main }: Context, userId: string): Promise<StoredPasskey[]> {
    const order = ['created_at', 'id'] as const;
    const rows = await all(main, 'passkeys', { user_id: userId }, { order });
    return rows.map(passkeyOf);
  },

  async find({ main }: Context, credentialId: string): Promise<StoredPasskey | null> {
    const row = await one(main, 'passkeys', { credential_id: credentialId });
    return row ? passkeyOf(row) : null;
  },

  /** False if it is registered already. */
  async add(
    { main }: Context,
    userId: string,
    name: string,
    credential: Credential,
    now: number,
  ): Promise<boolean> {
    const { credentialId, publicKey, counter, transports } = credential;
    const added = await addMissing(main, 'passkeys', {
      id: newId(now),
      user_id: userId,
      name,
      credential_id: credentialId,
      public_key: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports.join(','),
      created_at: now,
    });
    return added === 1;
  },

  /** False: deleted meanwhile. */
  async count({ main }: Context, id: string, counter: number): Promise<boolean> {
    return (await change(main, 'passkeys', { id }, { counter })) > 0;
  },

  async delete({ main }: Context, userId: string, id: string): Promise<boolean> {
    const key = { id, user_id: userId };
    return (await remove(main, 'passkeys', key)) > 0;
  },
};

const COLUMNS = ['id', 'user_id', 'name', 'credential_id', 'counter', 'created_at'] as const;

function passkeyOf(row: Row<'passkeys'>): StoredPasskey {
  return {
    ...toRecord(row, COLUMNS),
    publicKey: Buffer.from(row.public_key, 'base64url'),
    transports: row.transports.split(',').filter((each) => each !== ''),
  };
}
