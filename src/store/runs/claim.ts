import type { Claimant, ClaimedGroup, ClaimedRun, GroupSlots, SecretReader } from './claims.ts';
import type { Sealer } from '../database/seal.ts';
import { PartsReader } from './stored-parts.ts';
import type { Row } from '../tables/tables.ts';

export interface ClaimInput extends Claimant {
  asked: readonly GroupSlots[];
}

/** A queue or a team; if it was deleted, it has no row. */
export interface GroupRow {
  id: string;
  plan: string;
  /** As far as they are added up. */
  used: number;
  sealed_signing_secret: string | null;
}

export type TakenRow = Pick<
  Row<'jobs'>,
  'team_id' | 'id' | 'method' | 'url' | 'callback_url' | 'sealed_headers'
>;

export interface Taken<Group, Row> {
  rows: Row[];
  /** With those over the monthly limit. */
  due: number;
  groups: ReadonlyMap<string, Group>;
  states: ClaimedGroup[];
  /** Another transaction has locked a row of them; they have no state. */
  locked: ReadonlySet<string>;
}

export type SettingsRow = Pick<
  Row<'crons'>,
  'timeout_seconds' | 'assertions' | 'slow_seconds' | 'keeps_response_body'
>;

export type RunSettings = Pick<
  ClaimedRun,
  | 'timeoutSeconds'
  | 'assertions'
  | 'signingSecret'
  | 'slowSeconds'
  | 'keepsResponseBody'
  | 'unreadable'
>;

export function readSettings(
  row: SettingsRow & { sealed_signing_secret: string | null },
  secrets: SecretReader,
): RunSettings {
  const reader = new PartsReader();
  return {
    timeoutSeconds: row.timeout_seconds,
    assertions: reader.readAssertions(row.assertions),
    signingSecret: reader.readSecret(secrets, row.sealed_signing_secret),
    slowSeconds: row.slow_seconds,
    keepsResponseBody: row.keeps_response_body === 1,
    unreadable: reader.unreadable,
  };
}

/** With the parts that can't be read. @param readPayload called before `unreadable` is determined */
export function claimedRun<Payload, Settings extends RunSettings>(
  row: TakenRow,
  settings: Settings,
  sealer: Sealer,
  headersOf: 'jobs' | 'crons',
  readPayload: (reader: PartsReader) => Payload,
) {
  const reader = new PartsReader();
  return {
    teamId: row.team_id,
    id: row.id,
    method: row.method,
    url: row.url,
    headers: reader.readHeaders(sealer, headersOf, row.sealed_headers),
    payload: readPayload(reader),
    callbackUrl: row.callback_url,
    ...settings,
    unreadable: reader.unreadable ?? settings.unreadable,
  };
}
