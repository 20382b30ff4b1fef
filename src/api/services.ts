import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { CronInput } from '#work/cron-input';
import type { JobInput } from '#work/job-input';
import type { RateLimiter } from './rate-limiter.ts';

/** Whom a token speaks for; `teamId` is the team selected in the dashboard now, null when there is none (§5.2). */
export interface TokenOwner {
  userId: string;
  teamId: string | null;
  /** They only look on in that team (§5.8). */
  isViewer: boolean;
}

/** What a cron's answer needs beside what was sent (§2.1); `nextRunAt` in ms since 1970 UTC, null when paused. */
export interface CreatedCron {
  id: string;
  nextRunAt: number | null;
}

/** What a job's answer needs (§2.2); `scheduledAt` in milliseconds since 1970 UTC. */
export interface CreatedJob {
  queueId: string;
  jobId: string;
  scheduledAt: number;
}

/**
 * What the two endpoints ask of the rest of the service.
 *
 * Each promise is kept only once the answer is true: a created cron or job survives a power cut. A rejection
 * with `code` 'STORE_UNAVAILABLE' is answered with 503, any other with 500.
 */
export interface ApiServices {
  /** Null when the token matches no user. */
  findTokenOwner(token: string): Promise<TokenOwner | null>;
  createCron(teamId: string, input: CronInput): Promise<CreatedCron>;
  createJob(teamId: string, input: JobInput): Promise<CreatedJob>;
}

export interface ApiDeps extends ApiServices {
  /** Null when the operator has switched the limit off: answers then carry no rate headers. */
  rateLimiter: RateLimiter | null;
  clock: Clock;
  log: Log;
  /** The public address, with or without a slash at its end. */
  baseUrl: string;
  /** How many proxies in front may be believed in `X-Forwarded-For`. */
  trustedProxies: number;
}
