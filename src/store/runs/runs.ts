import { knownCertificates } from '../alerts/certificates.ts';
import { claimExecutions } from './claim-executions.ts';
import { claimJobs } from './claim-jobs.ts';
import {
  type Claim,
  type Claimant,
  type ClaimedExecution,
  type ClaimedJob,
  type GroupSlots,
  SecretReader,
} from './claims.ts';
import type { Context } from '../database/context.ts';
import { GroupCommit, type ItemOwner } from '../database/group-commit.ts';
import { SkippedGroups } from './locked-groups.ts';
import { ofEachTable, type RunTable } from './run-tables.ts';
import { isQuiet, settleRuns } from './settle-runs.ts';
import type { Settlement } from './settlement.ts';
import type { Signal } from '../database/signals.ts';
import { StartingPoints } from './starting-points.ts';
import { scanWaiting, type WaitingGroup } from './waiting.ts';

const MAX_BATCH = 200;

export function runs({ main: db, sealer, clock, signals, onBatch }: Context) {
  const claimContext = { db, sealer, secrets: new SecretReader(sealer) };
  const [skippedQueues, skippedTeams] = [new SkippedGroups(), new SkippedGroups()];
  const points = ofEachTable(() => new StartingPoints(clock));
  const tools = { db, certificates: knownCertificates(db) };
  const settle = async (table: RunTable, nodeId: string, settlements: readonly Settlement[]) => {
    onBatch('settle', settlements.length);
    const { isOurs, hasRaised } = await settleRuns(tools, table, nodeId, settlements);
    // Of all: an earlier try whose answer was lost may have written one that is no longer ours.
    const sent = settlements.flatMap(signalsOf);
    signals.send(hasRaised ? [...sent, { kind: 'notifications' }] : sent);
    return settlements.map(({ run }) => isOurs(run));
  };
  const options = { maxBatch: MAX_BATCH, teamOf: ({ run }: Settlement) => run.teamId };
  /** By node, because a batch is one transaction. A locked row of one team doesn't delay others. */
  const groupsOf = (table: RunTable) => {
    const groups = new Map<string, GroupCommit<Settlement, boolean>>();
    return (nodeId: string) => {
      const known = groups.get(nodeId);
      if (known) return known;
      const group = new GroupCommit(settle.bind(null, table, nodeId), options);
      groups.set(nodeId, group);
      return group;
    };
  };
  const executions = groupsOf('executions');
  const quietJobs = groupsOf('jobs');
  // Jobs that raise an alert or may be slow take several statements.
  const alertingJobs = groupsOf('jobs');
  const groupFor = (settlement: Settlement) => {
    const { run } = settlement;
    if (run.kind === 'execution') return executions;
    return isQuiet(settlement) && run.slowSeconds === null ? quietJobs : alertingJobs;
  };
  return {
    claimJobs: (asked: readonly GroupSlots[], claimant: Claimant): Promise<Claim<ClaimedJob>> =>
      claimJobs(claimContext, skippedQueues, asked, claimant),
    claimExecutions: (
      asked: readonly GroupSlots[],
      claimant: Claimant,
    ): Promise<Claim<ClaimedExecution>> =>
      claimExecutions(claimContext, skippedTeams, asked, claimant),
    /** False if the claim was lost and nothing was changed. */
    settle: (nodeId: string, settlement: Settlement): Promise<boolean> =>
      groupFor(settlement)(nodeId).add(settlement),
    /** As `settle`, but calls the owner instead of returning a promise. */
    putEnd: (nodeId: string, settlement: Settlement, owner: ItemOwner<boolean>): void =>
      groupFor(settlement)(nodeId).put(settlement, owner),
    /** With their earliest due times. */
    scanQueues: (): Promise<WaitingGroup[]> => scanWaiting(db, 'jobs', points.jobs, clock.now()),
    /** With their earliest due times. */
    scanTeams: (): Promise<WaitingGroup[]> =>
      scanWaiting(db, 'executions', points.executions, clock.now()),
    hearOf(queueId: string, dueAt: number): void {
      points.jobs.note(queueId, dueAt);
    },
    /** The next scans read everything. */
    missedSignals(): void {
      for (const each of Object.values(points)) each.forget();
    },
    /** As far as `scanQueues` has seen; 0 if unknown. */
    waitingSince: (queueId: string): number => points.jobs.of(queueId),
  };
}

function signalsOf({ run, next, callback, alert }: Settlement): Signal[] {
  const { teamId } = run;
  const signals: Signal[] = [];
  if (run.kind === 'job') {
    const { queueId, dueAt } = run;
    if (next) signals.push({ kind: 'jobs', queueId, teamId, dueAt: next.scheduledAt });
    // Its next job was due no earlier.
    if (run.hasConcurrencyLimit) signals.push({ kind: 'jobs', queueId, teamId, dueAt });
  }
  if (callback) signals.push({ kind: 'callbacks', teamId });
  if (alert) signals.push({ kind: 'notifications' });
  return signals;
}
