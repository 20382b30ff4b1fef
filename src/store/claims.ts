import type { Assertion } from '#domain/assertion';
import type { HeaderList, HttpMethod } from '#domain/exchange';
import type { Sealer } from './seal.ts';

/** Who claims: a node that has been declared dead gets nothing (§3.6). */
export interface Claimant {
  nodeId: string;
  /** Milliseconds since 1970 UTC, by the store's clock. */
  now: number;
  /** The most runs a month that a plan allows; null for no limit, also for a plan nobody knows (§8.2). */
  monthlyLimitOf: (plan: string) => number | null;
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
