/** The interface of a contestant in the comparison of deliveries, and of a round. */

export interface Round {
  jobs: number;
  targetUrl: string;
  /** Requests under way at once. */
  concurrency: number;
  /** Where jobs are kept: a URL of Postgres or Redis, a path for SQLite, nothing for the bare loop. */
  place: string;
  /** The server that `place` is on; null where there is none. */
  serverPid: number | null;
}

interface Contestant {
  /** Stores every job of the round, due at once. */
  fill(): Promise<void>;
  /** Sends them all; resolves when every outcome is stored. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

export type MakeContestant = (round: Round) => Promise<Contestant>;

export const BODY = '{"hello":"world","n":12345}';
