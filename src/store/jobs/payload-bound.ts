import type { Clock } from '#domain/clock';
import { TeamFull } from '#domain/team-bounds';

/** A process's estimate of a team's waiting payloads, in bytes. */
interface Estimate {
  /** The last measurement; 0 before the first. */
  measured: number;
  /** Stored by this process since the measurement began. */
  added: number;
  /** Being stored by this process. */
  underWay: number;
  /** When it may be measured again before a refusal, in the process's own time. */
  againAtMs: number;
  measuring: Promise<void> | null;
}

interface PayloadBoundOptions {
  most: number;
  measure: (teamId: string) => Promise<number>;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** How often a team is measured while its jobs are refused; less often if it takes over a second. */
const MEASURED_EVERY_MS = 5_000;
const LEAST_STEP = 64 * 2 ** 20;
const MOST_TEAMS = 10_000;

/**
 * Rejects jobs of teams whose waiting payloads have reached a bound (§8.3), without a query for each job: a process
 * adds up the bytes it stores, and measures in the database only after a quarter of the remaining room, or `LEAST_STEP`
 * if that is more. So the bound is exceeded by at most the bytes that other processes store meanwhile, which is enough
 * against a full disk. A team with only small jobs is never measured. Bytes that leave the queue are seen at the next
 * measurement, which happens before any rejection.
 */
export class PayloadBound {
  readonly #options: PayloadBoundOptions;
  readonly #teams = new Map<string, Estimate>();

  constructor(options: PayloadBoundOptions) {
    this.#options = options;
  }

  /**
   * Stores a job with a payload of that size, if it fits.
   *
   * @throws TeamFull
   */
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

  /** How much is stored before the next measurement. */
  #stepOf({ measured }: Estimate): number {
    const { most } = this.#options;
    return Math.max(Math.min(LEAST_STEP, most / 16), (most - measured) / 4);
  }

  /** Measures the team before a job is refused, unless that was done a moment ago. */
  async #measureBeforeRefusal(teamId: string, team: Estimate): Promise<void> {
    const { clock } = this.#options;
    // One under way may have begun before jobs left the queue.
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

  /** Without an answer the estimate stays. Jobs that are stored meanwhile may count twice until the next one. */
  async #measure(teamId: string, team: Estimate): Promise<void> {
    const before = team.added;
    try {
      team.measured = await this.#options.measure(teamId);
      team.added -= before;
    } catch {
      // The database is overloaded or unreachable; then storing a job fails, too.
    }
  }
}
