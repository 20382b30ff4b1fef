import type { Clock } from '#domain/base/clock';
import { TeamFull } from '#domain/team/team-bounds';

/** In bytes. */
interface Estimate {
  measured: number;
  /** By this process, since the measurement began. */
  added: number;
  underWay: number;
  /** In the process's own time. */
  againAtMs: number;
  measuring: Promise<void> | null;
}

interface PayloadBoundOptions {
  most: number;
  measure: (teamId: string) => Promise<number>;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** Less often if it takes over a second. */
const MEASURED_EVERY_MS = 5_000;
const LEAST_STEP = 64 * 2 ** 20;
const MOST_TEAMS = 10_000;

/**
 * A process adds up the payloads that it stores, and measures after a quarter of the remaining bytes, at least
 * `LEAST_STEP`. Payloads that other processes store meanwhile can exceed the bound (§8.3). A measurement precedes any
 * rejection.
 */
export class PayloadBound {
  readonly #options: PayloadBoundOptions;
  readonly #teams = new Map<string, Estimate>();

  constructor(options: PayloadBoundOptions) {
    this.#options = options;
  }

  /** @throws TeamFull */
  async within<T>(teamId: string, bytes: number, store: () => Promise<T>): Promise<T> {
    if (bytes === 0) return store();
    const team = this.#find(teamId);
    if (!this.#fits(team, bytes)) await this.#measureBeforeRefusal(teamId, team);
    if (!this.#fits(team, bytes)) throw new TeamFull('waitingPayloadBytes', this.#options.most);
    team.underWay += bytes;
    try {
      const stored = await store();
      team.added += bytes;
      if (team.added >= this.#stepOf(team)) void this.#measureOnce(teamId, team);
      return stored;
    } finally {
      team.underWay -= bytes;
    }
  }

  #find(teamId: string): Estimate {
    const known = this.#teams.get(teamId);
    if (known) return known;
    const [oldest] = this.#teams.keys();
    if (this.#teams.size >= MOST_TEAMS && oldest !== undefined) this.#teams.delete(oldest);
    const team = { measured: 0, added: 0, underWay: 0, againAtMs: -Infinity, measuring: null };
    this.#teams.set(teamId, team);
    return team;
  }

  #fits({ measured, added, underWay }: Estimate, bytes: number): boolean {
    return measured + added + underWay + bytes <= this.#options.most;
  }

  #stepOf({ measured }: Estimate): number {
    const { most } = this.#options;
    return Math.max(Math.min(LEAST_STEP, most / 16), (most - measured) / 4);
  }

  /** Unless that was done a moment ago. */
  async #measureBeforeRefusal(teamId: string, team: Estimate): Promise<void> {
    const { clock } = this.#options;
    // It may have begun before jobs left the queue.
    await team.measuring;
    const beganAtMs = clock.monotonicMs();
    if (beganAtMs < team.againAtMs) return;
    await this.#measureOnce(teamId, team);
    const tookMs = clock.monotonicMs() - beganAtMs;
    team.againAtMs = beganAtMs + Math.max(MEASURED_EVERY_MS, 4 * tookMs);
  }

  async #measureOnce(teamId: string, team: Estimate): Promise<void> {
    team.measuring ??= this.#measure(teamId, team).finally(() => {
      team.measuring = null;
    });
    await team.measuring;
  }

  /** Without an answer the estimate stays. Jobs stored meanwhile may count twice until the next one. */
  async #measure(teamId: string, team: Estimate): Promise<void> {
    const before = team.added;
    try {
      team.measured = await this.#options.measure(teamId);
      team.added -= before;
    } catch {
      // The database is overloaded; then storing a job fails too.
    }
  }
}
