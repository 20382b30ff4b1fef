/** So that no team fills the disk or slows pages for all (§8.3). */
export interface TeamBounds {
  crons: number;
  queues: number;
  /** Bytes. */
  waitingPayloadBytes: number;
}

export const TEAM_BOUNDS: TeamBounds = {
  crons: 1_000,
  queues: 1_000,
  waitingPayloadBytes: 4 * 2 ** 30,
};

const TEXTS: Record<keyof TeamBounds, (most: number) => string> = {
  crons: (most) => `The team cannot have more crons: the limit is ${most.toLocaleString('en')}.`,
  queues: (most) => `The team cannot have more queues: the limit is ${most.toLocaleString('en')}.`,
  waitingPayloadBytes: (most) =>
    `The payloads of the team's waiting jobs have reached the limit of ${(most / 2 ** 20).toLocaleString('en')} MiB.`,
};

/** The field that reports the error. */
const FIELDS = { crons: 'name', queues: 'queue', waitingPayloadBytes: 'payload' } as const;

export class TeamFull extends Error {
  override readonly name = 'TeamFull';
  readonly code = 'TEAM_FULL';
  readonly bound: keyof TeamBounds;

  constructor(bound: keyof TeamBounds, most: number) {
    super(TEXTS[bound](most));
    this.bound = bound;
  }

  /** For forms and 422 responses. */
  get fieldError(): [field: string, messages: [string]] {
    return [FIELDS[this.bound], [this.message]];
  }
}

/** By code: the pages' bundle has its own class. */
export function isTeamFull(error: unknown): error is TeamFull {
  return error instanceof Error && 'code' in error && error.code === 'TEAM_FULL';
}
