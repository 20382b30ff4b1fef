/** The interface of a contestant in the comparison of deliveries, and of a round. */

export interface Round {
  jobs: number;
  targetUrl: string;
  /** Requests under way at once. */
  concurrency: number;
  /** Where jobs are kept: a URL of Postgres, a path for SQLite, nothing for the bare loop. */
  place: string;
  /** The server that `place` is on; null where there is none. */
  serverPid: number | null;
  job: JobName;
}

/**
 * `small`: a body of 27 bytes and nothing else. `usual`: a body of 1 KB, three headers with a secret among them, a
 * signing secret, an assertion, a callback, and metrics.
 */
export type JobName = 'small' | 'usual';

const JSON_TYPE = ['content-type', 'application/json'] as const;

interface Contestant {
  /** Stores every job of the round, due at once. */
  fill(): Promise<void>;
  /** Sends them all; resolves when every outcome is stored. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

export type MakeContestant = (round: Round) => Promise<Contestant>;

export const BODY = '{"hello":"world","n":12345}';

export const JOBS: Readonly<
  Record<JobName, { body: string; headers: readonly (readonly [name: string, value: string])[] }>
> = {
  small: { body: BODY, headers: [JSON_TYPE] },
  usual: {
    body: JSON.stringify({
      event: 'order.paid',
      lines: Array.from({ length: 12 }, (_, n) => {
        return { sku: `SKU-${1000 + n}`, name: 'A thing that somebody has ordered', quantity: n };
      }),
    }),
    headers: [
      JSON_TYPE,
      ['Authorization', 'Bearer 7c1f0a3e5b9d4f62a8e1c3d5b7f90124'],
      ['X-Source', 'orders'],
    ],
  },
};
