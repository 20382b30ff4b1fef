import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import type { Cron } from '#work/crons';
import type { CronInput } from '#work/resources/cron';
import type { Work } from '#work/work';
import type { RateLimiter } from './rate-limiter.ts';

/** A user or a service account. */
export interface TokenOwner {
  /** The user's selected team, or the service account's. Null if none is selected (§5.2). */
  teamId: string | null;
  /** Of the jobs that it makes. */
  actor: string;
  /** Viewers can read, but create nothing (§5.8). */
  isViewer: boolean;
}

/** Promises resolve when the data is on disk. The code 'STORE_UNAVAILABLE' is answered with 503, others with 500. */
export interface ApiServices {
  /** Null if nobody has the token. */
  findTokenOwner(token: string): Promise<TokenOwner | null>;
  createCron(teamId: string, input: CronInput): Promise<Pick<Cron, 'id' | 'nextRunAt'>>;
  createJob: Work['createJob'];
}

export interface ApiDeps extends ApiServices {
  /** Null if the limit is off: then there are no rate headers. */
  rateLimiter: RateLimiter | null;
  clock: Clock;
  log: Log;
  baseUrl: string;
  trustedProxies: number;
}
