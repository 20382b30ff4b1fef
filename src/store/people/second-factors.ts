import { sql } from '../database/sql.ts';
import type { Context } from '../database/context.ts';
import { below, change, one, remove } from '../database/rows.ts';
import { rotate, type Rotation } from './sessions.ts';

export interface SecondFactor {
  secret: string;
  /** Only a confirmed one is in force. */
  isConfirmed: boolean;
}

const PLACE = 'two_factors.sealed_secret';

/** With the last used step and hashes of recovery codes. */
export const secondFactors = {
  /** Replaces an unconfirmed one. False if one is in force already. */
  async begin(
    { main, sealer }: Context,
    userId: string,
    { secret, recoveryCodes }: { secret: string; recoveryCodes: readonly string[] },
  ): Promise<boolean> {
    const sealed_secret = sealer.seal(PLACE, secret);
    const recovery_codes = JSON.stringify(recoveryCodes);
    const changed = await main.change(sql`
      insert into two_factors (user_id, verified, sealed_secret, recovery_codes, last_step)
      values (${userId}, 0, ${sealed_secret}, ${recovery_codes}, 0)
      on conflict (user_id) do update set last_step = 0,
        sealed_secret = excluded.sealed_secret, recovery_codes = excluded.recovery_codes
      where two_factors.verified = 0`);
    return changed === 1;
  },

  async find({ main, sealer }: Context, userId: string): Promise<SecondFactor | null> {
    const row = await one(main, 'two_factors', { user_id: userId });
    if (!row) return null;
    return {
      secret: sealer.open(PLACE, row.sealed_secret),
      isConfirmed: row.verified === 1,
    };
  },

  /** False: the session has ended. */
  async confirm(
    { main }: Context,
    userId: string,
    step: number,
    rotation: Rotation,
    now: number,
  ): Promise<boolean> {
    return main.transact(async (trx) => {
      if (!(await rotate(trx, rotation, now))) return false;
      const key = { user_id: userId, verified: 0 } as const;
      const changed = await change(trx, 'two_factors', key, { verified: 1, last_step: step });
      if (changed === 0) throw new Error('the second factor was changed while it was confirmed');
      await change(trx, 'users', { id: userId }, { two_factor_enabled: 1, updated_at: now });
      return true;
    });
  },

  /** False: this code or a later one was used before (RFC 6238 §5.2). */
  async useStep({ main }: Context, userId: string, step: number): Promise<boolean> {
    const key = { user_id: userId, verified: 1, last_step: below(step) } as const;
    return (await change(main, 'two_factors', key, { last_step: step })) > 0;
  },

  async useRecoveryCode({ main }: Context, userId: string, hash: string): Promise<boolean> {
    return main.transact(async (trx) => {
      const key = { user_id: userId, verified: 1 } as const;
      const row = await one(trx, 'two_factors', key, ['recovery_codes'], 'for update');
      const hashes = JSON.parse(row?.recovery_codes ?? '[]') as string[];
      if (!hashes.includes(hash)) return false;
      const rest = JSON.stringify(hashes.filter((each) => each !== hash));
      await change(trx, 'two_factors', key, { recovery_codes: rest });
      return true;
    });
  },

  /** False: no second factor is in force. */
  async setRecoveryCodes(
    { main }: Context,
    userId: string,
    hashes: readonly string[],
  ): Promise<boolean> {
    const key = { user_id: userId, verified: 1 } as const;
    const recovery_codes = JSON.stringify(hashes);
    return (await change(main, 'two_factors', key, { recovery_codes })) > 0;
  },

  /** False: the session has ended. */
  async end({ main }: Context, userId: string, rotation: Rotation, now: number): Promise<boolean> {
    return main.transact(async (trx) => {
      if (!(await rotate(trx, rotation, now))) return false;
      await remove(trx, 'two_factors', { user_id: userId });
      await change(trx, 'users', { id: userId }, { two_factor_enabled: 0, updated_at: now });
      return true;
    });
  },
};
