import type { HttpMethod } from '#domain/exchange';
import { readSlowRule } from '#domain/slow-runs';
import type { Claim, ClaimedFlow, ClaimedRun, Holds, FlowSlots, SecretReader } from './claims.ts';
import type { Sealer } from '../database/seal.ts';
import type { StatementRunner, TransactionScript } from '../database/transaction-script.ts';
import type { RunTable } from './run-tables.ts';
import { PartsReader } from './stored-parts.ts';
import { isNearLimit, limitOf, type MonthlyLimits } from '../figures/usage.ts';
import { countRuns } from './month-limit.ts';

export interface ClaimInput {
  asked: readonly FlowSlots[];
  nodeId: string;
  now: number;
  limits: MonthlyLimits;
}

/** A flow, as a claim reads it. A deleted flow has no row. */
export interface FlowRow {
  id: string;
  plan: string;
  /** The runs of its team's month, as far as they are added up. */
  used: number;
  sealed_signing_secret: string | null;
}

/** A run that was taken and is not counted yet. */
export interface TakenRow {
  team_id: string;
  id: string;
  method: HttpMethod;
  url: string;
  callback_url: string | null;
  sealed_headers: string | null;
}

/** The steps of a claim that differ between jobs and executions. */
export interface KindOfClaim<Input extends ClaimInput, Flow extends FlowRow, Row extends TakenRow> {
  table: RunTable;
  flowOf: (row: Row) => string;
  readFlows: (runner: StatementRunner, input: Input) => Promise<Flow[]>;
  /** Takes due runs of the flows, in the order in which they are to be counted; none for a dead node (§3.6). */
  take: (runner: StatementRunner, input: Input, flows: Flows<Flow>) => Promise<Row[]>;
  /** Writes down how many of each flow were let through, where something goes by that. */
  noteStarts?: (
    runner: StatementRunner,
    input: Input,
    flows: Flows<Flow>,
    started: ReadonlyMap<string, number>,
  ) => Promise<void>;
  readHeads: (runner: StatementRunner, input: Input) => Promise<FlowHead[]>;
  /** @param taken  how many runs were just taken of the flow */
  whatHolds: (flow: Flow | undefined, taken: number) => Holds;
  heldByRate?: (
    flow: Flow | undefined,
    started: number,
    now: number,
  ) => Pick<ClaimedFlow, 'notBefore'>;
}

export type Flows<Flow> = ReadonlyMap<string, Flow>;

/** When a flow's next run is due. */
export interface FlowHead {
  id: string;
  next_due_at: number | null;
}

export interface Taken<Flow, Row> {
  rows: Row[];
  blocked: number;
  heads: Claim['flows'];
  flows: Flows<Flow>;
}

/**
 * The claim as one transaction: reads the flows, takes due runs of those that may start any, counts them against each
 * team's month, and fails those over the limit at once (§8.2).
 */
export function claimScript<Input extends ClaimInput, Flow extends FlowRow, Row extends TakenRow>(
  kind: KindOfClaim<Input, Flow, Row>,
): TransactionScript<Input, Taken<Flow, Row>> {
  return {
    name: `claim-${kind.table}`,
    async run(runner, input) {
      const { nodeId, now, limits } = input;
      const read = await kind.readFlows(runner, input);
      const flows = new Map(read.map((flow) => [flow.id, flow]));
      const due = await kind.take(runner, input, flows);
      const heads = await kind.readHeads(runner, input);
      const claim = { table: kind.table, nodeId, now };
      const rows = await countRuns(runner, claim, due, (row) => {
        const flow = flows.get(kind.flowOf(row));
        const limit = flow ? limitOf(limits, flow.plan) : null;
        return isNearLimit(limit, flow?.used ?? 0) ? limit : null;
      });
      const takenOf = countBy(due, kind.flowOf);
      const startedOf = countBy(rows, kind.flowOf);
      await kind.noteStarts?.(runner, input, flows, startedOf);
      return {
        rows,
        blocked: due.length - rows.length,
        heads: heads.map(({ id, next_due_at }) => {
          const flow = flows.get(id);
          const holds = kind.whatHolds(flow, takenOf.get(id) ?? 0);
          const nextDueAt = holds === 'gone' ? null : next_due_at;
          const held = kind.heldByRate?.(flow, startedOf.get(id) ?? 0, now);
          return Object.assign({ id, nextDueAt, holds }, held);
        }),
        flows,
      };
    },
  };
}

function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

/** Combines several claims. Flows that were skipped because they are held are tried again from the same time on. */
export function joinClaims<Run extends ClaimedRun>(
  claims: readonly Claim<Run>[],
  held: readonly FlowSlots[],
): Claim<Run> {
  const heldFlows = held.map(({ id, from = 0 }) => {
    return { id, nextDueAt: from, holds: 'held' as const };
  });
  return {
    claimed: claims.flatMap(({ claimed }) => claimed),
    blocked: claims.reduce((sum, { blocked }) => sum + blocked, 0),
    flows: [...claims.flatMap(({ flows }) => flows), ...heldFlows],
  };
}

/** The settings that a run of either kind is sent with, as its queue or cron and its team have them. */
interface SettingsRow {
  timeout_seconds: number;
  assertions: string;
  sealed_signing_secret: string | null;
  slow_rule: string | null;
}

/** The same settings, parsed. */
export type RunSettings = Pick<
  ClaimedRun,
  'timeoutSeconds' | 'assertions' | 'signingSecret' | 'slowRule' | 'unreadable'
>;

export function readSettings(row: SettingsRow, secrets: SecretReader): RunSettings {
  const reader = new PartsReader();
  return {
    timeoutSeconds: row.timeout_seconds,
    assertions: reader.readAssertions(row.assertions),
    signingSecret: reader.readSecret(secrets, row.sealed_signing_secret),
    slowRule: readSlowRule(row.slow_rule),
    unreadable: reader.unreadable,
  };
}

/**
 * The parts of a run that the engine needs, and which of them can't be read.
 *
 * @param readPayload  called before `unreadable` is determined
 */
export function claimedRun<Payload>(
  row: TakenRow,
  settings: RunSettings,
  sealer: Sealer,
  headersOf: 'jobs' | 'crons',
  readPayload: (reader: PartsReader) => Payload,
) {
  const reader = new PartsReader();
  return {
    teamId: row.team_id,
    id: row.id,
    method: row.method,
    url: row.url,
    headers: reader.readHeaders(sealer, headersOf, row.sealed_headers),
    payload: readPayload(reader),
    callbackUrl: row.callback_url,
    timeoutSeconds: settings.timeoutSeconds,
    assertions: settings.assertions,
    signingSecret: settings.signingSecret,
    slowRule: settings.slowRule,
    unreadable: reader.unreadable ?? settings.unreadable,
  };
}
