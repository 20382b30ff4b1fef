import { isFailedJob } from '#domain/runs/run-status';
import { Submit } from '../parts/Button.tsx';
import { Link } from 'react-router';
import { isOne, NOTHING } from '../words/amounts.ts';
import { actionsColumn, type BulkActions, type Column } from '../lists/DataTable.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { ActionButton } from '../forms/Form.tsx';
import { SpreadField } from './AskAgain.tsx';
import { Status } from '../parts/Status.tsx';
import type { BoundedCount, JobListRow, JobTab } from '../services.ts';
import { actsOn } from './job-search.ts';
import { jobStatus } from './reasons.ts';
import { outcomeColumns, requestColumn } from './run-columns.tsx';

/** With the field of the payload that the team's lists show. */
export type JobRow = JobListRow & { field: string | null };

/** @param path of that field */
export function jobColumns(
  jobs: readonly JobRow[],
  pausedQueueIds: readonly string[],
  path: string | null,
): Column<JobRow>[] {
  const isQueuePaused = ({ status, queueId }: JobListRow) =>
    status === 'pending' && pausedQueueIds.includes(queueId);
  // A held job's button shows when it will be fired.
  const actions = actionsColumn<JobRow>(
    jobs.some(isQueuePaused) ? '304px' : '124px',
    (job) => <JobActions job={job} isQueuePaused={isQueuePaused(job)} isSmall />,
    600,
  );
  // Who is affected, by a field of the payload.
  const shown: Column<JobRow> | null =
    path === null
      ? null
      : {
          head: path.replace(/^\$\.?/, '') || 'Payload',
          width: '130px',
          isPlain: true,
          isCutOnPhone: true,
          givesWay: 5,
          cell: ({ field }) => (field === null ? NOTHING : <span title={field}>{field}</span>),
        };
  return [...columns, ...(shown ? [shown] : []), ...outcomeColumns, actions];
}

export function jobBulk(
  tab: JobTab,
  matching: BoundedCount,
  asOf: number,
): BulkActions | undefined {
  if (!actsOn(tab)) return undefined;
  const [intent, word] = tab === 'failed' ? ['retry', 'Retry'] : ['fire', 'Fire'];
  return {
    matching,
    asOf,
    buttons: ({ count, text }) => (
      <span className="row together">
        <Submit intent={intent}>{`${word} (${text})`}</Submit>
        <MoreActions of="selected jobs">
          {tab === 'failed' ? (
            <ConfirmDialog
              word="Retry at a rate"
              question={`Retry ${text} ${isOne(count ?? 0) ? 'job' : 'jobs'} one after the other?`}
              fields={{ intent: 'retry' }}
              controls={<SpreadField />}
              variant="default"
              form="bulk"
            >
              Each becomes a new job, attempt 1. The new jobs start one after the other at the rate
              that you set.
            </ConfirmDialog>
          ) : null}
          <ConfirmDialog
            word="Delete"
            question={`Delete ${text} ${isOne(count ?? 0) ? 'job' : 'jobs'}?`}
            fields={{ intent: 'delete' }}
            form="bulk"
          >
            {tab === 'failed'
              ? 'Their history is deleted too. This can’t be undone.'
              : 'They are never sent. This can’t be undone.'}
          </ConfirmDialog>
        </MoreActions>
      </span>
    ),
  };
}

const columns: Column<JobRow>[] = [
  {
    head: 'Status',
    width: '136px',
    cell: (job) => <Status name={jobStatus(job)} />,
  },
  requestColumn,
  {
    head: 'Queue',
    isPlain: true,
    isCutOnPhone: true,
    width: '140px',
    givesWay: 3,
    cell: ({ queue, queueId }) => (
      <Link to={`/queues/${queueId}`} title={queue}>
        {queue}
      </Link>
    ),
  },
];

const fireLater = 'Fire when the queue is enabled';

export function JobActions({
  job,
  isQueuePaused,
  isSmall = false,
}: {
  job: Pick<JobListRow, 'id' | 'status'>;
  /** The queue is paused (§3.2). */
  isQueuePaused: boolean;
  isSmall?: boolean;
}) {
  const isPending = job.status === 'pending';
  if (!isPending && !isFailedJob(job.status)) return null;
  const [intent, word] = isPending
    ? ['fire', isQueuePaused ? fireLater : 'Fire now']
    : ['retry', 'Retry'];
  return (
    <span className="row together">
      <ActionButton fields={{ job: job.id }} intent={intent} size={isSmall ? 'small' : undefined}>
        {word}
      </ActionButton>
      <MoreActions of={`job ${job.id.slice(-8)}`} isSmall={isSmall}>
        <ConfirmDialog
          word="Delete"
          question="Delete this job?"
          fields={{ intent: 'delete', job: job.id }}
        >
          {isPending
            ? 'It is never sent. This can’t be undone.'
            : 'Its record is deleted. This can’t be undone.'}
        </ConfirmDialog>
      </MoreActions>
    </span>
  );
}
