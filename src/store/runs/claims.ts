import type { Assertion } from '#domain/judging/assertion';
import type { HeaderList, HttpMethod } from '#domain/http/exchange';
import type { Database } from '../database/database.ts';
import type { Place } from '../database/dialect.ts';
import { remembered } from '../database/remembered.ts';
import type { Sealer } from '../database/seal.ts';
import type { MonthlyLimits } from '../figures/usage.ts';

/** A node that has been declared dead gets nothing (§3.6). */
export interface Claimant {
  nodeId: string;
  now: number;
  limits: MonthlyLimits;
}

/** A queue, or a team for its crons and Run nows. */
export interface GroupSlots {
  id: string;
  /** For queues. */
  teamId?: string;
  slots: number;
  /**
   * Only jobs due at or after this time are searched: on Postgres the entries of claimed jobs stay in the index until
   * the next vacuum, and each claim would have to pass them. SQLite also takes jobs that were due earlier. Default: 0.
   */
  from?: number;
}

/** `locked`: skipped, because another transaction has locked a row of it. */
export type Blocker = 'nothing' | 'paused' | 'at-limit' | 'locked' | 'gone';

export interface Claim<Run extends ClaimedRun = ClaimedJob | ClaimedExecution> {
  claimed: Run[];
  /** Runs over the monthly limit, which have failed (§2.7). */
  blocked: number;
  groups: ClaimedGroup[];
}

export interface ClaimedGroup {
  id: string;
  nextDueAt: number | null;
  blocker: Blocker;
  /** The queue's rate allows no earlier start. */
  notBefore?: number;
}

export interface ClaimContext {
  db: Database;
  sealer: Sealer;
  secrets: SecretReader;
}

export interface ClaimedRun {
  teamId: string;
  id: string;
  method: HttpMethod;
  url: string;
  headers: HeaderList;
  callbackUrl: string | null;
  timeoutSeconds: number;
  assertions: readonly Assertion[];
  signingSecret: string | null;
  slowSeconds: number | null;
  keepsResponseBody: boolean;
  /** If set, the run isn't sent: it is a worker failure and subtracted from the month's count. */
  unreadable: string | null;
  startedAt: number;
  /** For measuring lateness. */
  dueAt: number;
}

export interface ClaimedJob extends ClaimedRun {
  kind: 'job';
  originalId: string;
  attemptNumber: number;
  queueId: string;
  /** So its settlement needs no index. A hint: the row may have moved since. */
  place: Place;
  hasConcurrencyLimit: boolean;
  /** JSON text as given, or null. */
  payload: string | null;
}

export interface ClaimedExecution extends ClaimedRun {
  kind: 'execution';
  cronId: string;
  payload: string | null;
}

export const SIGNING_SECRET_PLACE = 'teams.signing_secret';

/** A busy team's secret is needed with every claim. */
export class SecretReader {
  readonly #sealer: Sealer;
  readonly #opened = new Map<string, string>();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  open(sealed: string | null): string | null {
    if (sealed === null) return null;
    return remembered(this.#opened, sealed, () => this.#sealer.open(SIGNING_SECRET_PLACE, sealed));
  }
}
