import type { Assertion } from '#domain/assertion';
import type { HeaderList, HttpMethod } from '#domain/exchange';
import type { Database } from '../database/database.ts';
import type { Sealer } from '../database/seal.ts';

/** Who claims: a node that has been declared dead gets nothing (§3.6). */
export interface Claimant {
  nodeId: string;
  /** Milliseconds since 1970 UTC, by the store's clock. */
  now: number;
  /** The most runs a month that a plan allows; null for no limit, also for a plan nobody knows (§8.2). */
  monthlyLimitOf: (plan: string) => number | null;
}

/** A queue, or a team with its crons and Run nows, that may have something due, and how much of it may be started. */
export interface FlowSlots {
  /** The queue's; for crons the team's. */
  id: string;
  /** Where it is given, what is known to be held of the team is looked at before it is waited for. */
  teamId?: string;
  slots: number;
  /**
   * Jobs that were due earlier are not looked for. In Postgres the entries of jobs that have left stay in the
   * index until the next vacuum, and each claim would go through all of them. SQLite leaves no such entries, and
   * takes those that were due earlier too. Default: 0.
   */
  from?: number;
}

/** What keeps a flow's runs from starting; `held`: somebody else holds a row of it, so that it was left out. */
export type Holds = 'nothing' | 'paused' | 'at-limit' | 'held' | 'gone';

export interface Claim<Run extends ClaimedRun = ClaimedJob | ClaimedExecution> {
  claimed: Run[];
  /** How many were over the month's limit and are finished by that (§2.7). */
  blocked: number;
  /** For each flow asked for: when its next run is due (at the earliest), and what keeps it from starting. */
  flows: { id: string; nextDueAt: number | null; holds: Holds }[];
}

/** What claiming works with. */
export interface ClaimContext {
  db: Database;
  sealer: Sealer;
  secrets: SecretReader;
  /** Names of plans seen so far: their limits go with a claim, so that it can judge where the database is. */
  knownPlans: Set<string>;
}

/** One run that this node has to send now. Whatever is claimed starts at once. */
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
  /**
   * Says what is stored of it that can't be read any more; null for nothing. Such a run is not sent: it is settled
   * as a worker failure and taken out of the month's count.
   */
  unreadable: string | null;
  startedAt: number;
  /** The time it was due, for measuring lateness. */
  dueAt: number;
}

export interface ClaimedJob extends ClaimedRun {
  kind: 'job';
  originalId: string;
  attemptNumber: number;
  queueId: string;
  hasConcurrencyLimit: boolean;
  /** JSON text as given, or null. */
  payload: string | null;
}

export interface ClaimedExecution extends ClaimedRun {
  kind: 'execution';
  cronId: string;
  /** The payload string as given, or null. */
  payload: string | null;
}

export const SIGNING_SECRET_PLACE = 'teams.signing_secret';

/** Opens sealed signing secrets, remembering the last ones: a busy team's is wanted with every claim. */
export class SecretReader {
  readonly #sealer: Sealer;
  readonly #opened = new Map<string, string>();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  open(sealed: string | null): string | null {
    if (sealed === null) return null;
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    const secret = this.#sealer.open(SIGNING_SECRET_PLACE, sealed);
    if (this.#opened.size >= MAX_REMEMBERED) this.#opened.clear();
    this.#opened.set(sealed, secret);
    return secret;
  }
}

const MAX_REMEMBERED = 1000;
