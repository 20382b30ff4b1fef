import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { CronInput } from '#work/resources/cron';
import type { JobInput } from '#work/resources/job';
import type { RateLimiter } from './rate-limiter.ts';

/** The user of a token. `teamId` is the team selected in the dashboard now; null if there is none (§5.2). */
export interface TokenOwner {
  userId: string;
  teamId: string | null;
  /** Whether the user may only view that team (§5.8). */
  isViewer: boolean;
}

/**
 * The data for a response about a cron that the request does not have (§2.1). `nextRunAt` is in milliseconds since 1970
 * UTC, null if the cron is paused.
 */
export interface CreatedCron {
  id: string;
  nextRunAt: number | null;
}

/** The data for a response about a job (§2.2). `scheduledAt` is in milliseconds since 1970 UTC. */
export interface CreatedJob {
  queueId: string;
  jobId: string;
  scheduledAt: number;
}

/**
 * The two endpoints' access to the rest of the service.
 *
 * Each promise resolves only once the response is true: a created cron or job survives a power failure. A rejection
 * with the `code` 'STORE_UNAVAILABLE' is answered with 503, any other with 500.
 */
export interface ApiServices {
  /** Null when the token matches no user. */
  findTokenOwner(token: string): Promise<TokenOwner | null>;
  createCron(teamId: string, input: CronInput): Promise<CreatedCron>;
  createJob(teamId: string, input: JobInput): Promise<CreatedJob>;
}

export interface ApiDeps extends ApiServices {
  /** Null if the operator has switched the limit off: responses then have no rate headers. */
  rateLimiter: RateLimiter | null;
  clock: Clock;
  log: Log;
  /** The public address, with or without a slash at its end. */
  baseUrl: string;
  /** How many proxies in front are trusted in `X-Forwarded-For`. */
  trustedProxies: number;
}
