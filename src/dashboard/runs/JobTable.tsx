import { Button } from '../parts/Button.tsx';
import { Link } from 'react-router';
import { formatMilliseconds } from '#domain/duration-words';
import { isOne } from '../words/amounts.ts';
import { useClockBehind } from '../lists/clock-column.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { DataTable, type BulkActions, type Column } from '../lists/DataTable.tsx';
import { MoreActions } from '../parts/MoreActions.tsx';
import { Form } from '../forms/Form.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { BoundedCount, JobListRow, JobTab } from '../services.ts';
import { isFailed, jobStatus } from './job-status.ts';
import { Outcome } from './Outcome.tsx';
import { describeOutcome } from './reasons.ts';

/** A table of jobs, with the actions on one of them and on many. */
export function JobTable({
  jobs,
  tab,
  matching,
  pausedQueueIds,
  caption = 'Jobs',
}: {
  jobs: readonly JobListRow[];
  caption?: string;
  pausedQueueIds: readonly string[];
  tab: JobTab;
  matching: BoundedCount | null;
}) {
  const isHeld = ({ status, queueId }: JobListRow) =>
    status === 'pending' && pausedQueueIds.includes(queueId);
  const actions: Column<JobListRow> = {
    key: 'actions',
    head: 'Actions',
    // Wider if a job is held, because its button says when it will be fired.
    width: jobs.some(isHeld) ? '280px' : '124px',
    isWideOnPhone: true,
    cell: (job) => <JobActions job={job} isHeld={isHeld(job)} isSmall />,
  };
  const withClock = useClockBehind([...columns, actions], 'at', ({ at }) => at);
  const bulk = matching === null ? null : bulkOf(tab, matching);
  return (
    <DataTable
      caption={caption}
      columns={withClock}
      rows={jobs}
      keyOf={({ id }) => id}
      isLive
      {...(bulk ? { bulk } : {})}
    />
  );
}

function bulkOf(tab: JobTab, matching: BoundedCount): BulkActions | null {
  if (tab !== 'pending' && tab !== 'retrying' && tab !== 'failed') return null;
  const [intent, word] = tab === 'failed' ? ['retry', 'Retry'] : ['fire', 'Fire'];
  return {
    matching,
    buttons: ({ count, text }) => (
      <>
        <Button type="submit" name="intent" value={intent} variant="default">
          {`${word} (${text})`}
        </Button>
        <MoreActions of="selected jobs">
          <ConfirmDialog
            word="Delete"
            question={`Delete ${text} ${isOne(count ?? 0) ? 'job' : 'jobs'}?`}
            fields={{ intent: 'delete' }}
            form="bulk"
          >
            {tab === 'failed'
              ? 'Their history goes with them. This can’t be undone.'
              : 'They are never sent. This can’t be undone.'}
          </ConfirmDialog>
        </MoreActions>
      </>
    ),
  };
}

const columns: Column<JobListRow>[] = [
  {
    key: 'status',
    head: 'Status',
    width: '136px',
    cell: (job) => <Status name={jobStatus(job)} />,
  },
  {
    key: 'url',
    head: 'Request',
    cell: ({ id, method, url }) => (
      <Link to={`/jobs/${id}`}>
        <RequestLine method={method} url={url} />
      </Link>
    ),
  },
  {
    key: 'queue',
    head: 'Queue',
    width: '140px',
    givesWay: 3,
    cell: ({ queue, queueId }) => (
      <Link to={`/queues/${queueId}`} title={queue}>
        {queue}
      </Link>
    ),
  },
  {
    key: 'attempt',
    head: 'Attempt',
    width: '76px',
    isNumber: true,
    givesWay: 1,
    cell: ({ attemptNumber }) => attemptNumber,
  },
  {
    key: 'outcome',
    head: 'Outcome',
    width: '186px',
    givesWay: 4,
    cell: (job) => <Outcome run={job} words={describeOutcome(job)} />,
  },
  {
    key: 'duration',
    head: 'Duration',
    width: '86px',
    isNumber: true,
    givesWay: 2,
    cell: ({ durationMs }) => (durationMs === null ? '–' : formatMilliseconds(durationMs)),
  },
  { key: 'at', head: 'When, UTC', width: '112px', givesWay: 5, cell: ({ at }) => <Time at={at} /> },
];

const fireLater = 'Fire when the queue is enabled';

/** The buttons for one job: only the actions that its state allows. */
export function JobActions({
  job,
  isHeld,
  isSmall = false,
}: {
  job: Pick<JobListRow, 'id' | 'status'>;
  /** Its queue is paused: the job starts when the queue is enabled (§3.2). */
  isHeld: boolean;
  isSmall?: boolean;
}) {
  const isPending = job.status === 'pending';
  if (!isPending && !isFailed(job)) return null;
  const [intent, word] = isPending ? ['fire', isHeld ? fireLater : 'Fire now'] : ['retry', 'Retry'];
  return (
    <span className="row" style={{ flexWrap: 'nowrap', gap: 6 }}>
      <Form>
        <input type="hidden" name="job" value={job.id} />
        <Button
          type="submit"
          name="intent"
          value={intent}
          variant="default"
          {...(isSmall ? { size: 'small' } : {})}
        >
          {word}
        </Button>
      </Form>
      <MoreActions of={`job ${job.id.slice(-8)}`} isSmall={isSmall}>
        <ConfirmDialog
          word="Delete"
          question="Delete this job?"
          fields={{ intent: 'delete', job: job.id }}
        >
          {isPending
            ? 'It is never sent. This can’t be undone.'
            : 'Its record goes. This can’t be undone.'}
        </ConfirmDialog>
      </MoreActions>
    </span>
  );
}
