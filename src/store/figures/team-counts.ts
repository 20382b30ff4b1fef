import { COUNT_LIMIT } from '../database/bounded-count.ts';
import { preparedStatement } from '../database/prepared.ts';
import { UNRESENT } from '../lists/ranges.ts';
import { FAILING, type SourceKind } from '../lists/source-states.ts';
import type { Context } from '../database/context.ts';

/** Each number is at most `COUNT_LIMIT`. */
export interface Attention {
  /** Crons and queues whose health is failing (domain/alerts/health.ts); none while the team is paused. */
  failingCrons: number;
  failingQueues: number;
  /** Dead letters that were neither retried nor deleted (§3.3). */
  failedJobs: number;
  unreadAlerts: number;
}

/** Each number is at most `COUNT_LIMIT`. */
export interface Counts {
  crons: { active: number; paused: number };
  queues: { active: number; paused: number };
  /** Distinguished among the first `COUNT_LIMIT` waiting jobs. */
  jobs: { pending: number; processing: number; retrying: number };
}

const readAttention = preparedStatement<Attention>('read-attention', (dialect) => {
  const team = dialect.$(1);
  const countFailing = (kind: SourceKind) => `(select count(*) from (
      select 1 from ${kind}s where team_id = ${team} and ${FAILING[kind]}
      and not exists (select 1 from teams t where t.id = ${team} and t.paused_at is not null)
      limit ${COUNT_LIMIT}) as failing_${kind}s)`;
  return `
  select
    ${countFailing('cron')} as "failingCrons",
    ${countFailing('queue')} as "failingQueues",
    (select count(*) from (
      select 1 from queues q cross join ended_jobs j
      where q.team_id = ${team} and j.queue_id = q.id and ${UNRESENT} limit ${COUNT_LIMIT}) as unresent) as "failedJobs",
    (select count(*) from (
      select 1 from alerts a where a.team_id = ${team} and a.is_read = 0
      limit ${COUNT_LIMIT}) as unread) as "unreadAlerts"`;
});

const readCounts = preparedStatement<{ thing: string; number: number }>(
  'read-counts',
  (dialect) => {
    const team = dialect.$(1);
    const counted = (thing: string, from: string) => `
    select ${thing} as thing, count(*) as number from (${from} limit ${COUNT_LIMIT}) as counted
    group by 1`;
    const jobsOf = (column: string, status: string) => `
    select ${column} from queues q join jobs j on j.queue_id = q.id
    where q.team_id = ${team} and j.status = '${status}'`;
    return [
      counted(
        `case when is_active = 1 then 'active crons' else 'paused crons' end`,
        `select is_active from crons where team_id = ${team}`,
      ),
      counted(
        `case when is_paused = 0 then 'active queues' else 'paused queues' end`,
        `select is_paused from queues where team_id = ${team}`,
      ),
      counted(
        `case when attempt_number = 1 then 'pending' else 'retrying' end`,
        jobsOf('j.attempt_number', 'pending'),
      ),
      counted(`'processing'`, jobsOf('j.id', 'processing')),
    ].join(' union all ');
  },
);

/** Each costs at most `COUNT_LIMIT` index steps. */
export const teamCounts = {
  async readAttention({ searches }: Context, teamId: string): Promise<Attention> {
    const [row] = await searches.read(readAttention, [teamId]);
    return row ?? { failingCrons: 0, failingQueues: 0, failedJobs: 0, unreadAlerts: 0 };
  },

  async readCounts({ searches }: Context, teamId: string): Promise<Counts> {
    const rows = await searches.read(readCounts, [teamId]);
    const numbers = new Map(rows.map(({ thing, number }) => [thing, number]));
    const of = (thing: string) => numbers.get(thing) ?? 0;
    return {
      crons: { active: of('active crons'), paused: of('paused crons') },
      queues: { active: of('active queues'), paused: of('paused queues') },
      jobs: { pending: of('pending'), processing: of('processing'), retrying: of('retrying') },
    };
  },
};
