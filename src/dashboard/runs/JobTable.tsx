import { Button } from '@mantine/core';
import { Form, Link } from 'react-router';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { CutText } from '../parts/CutText.tsx';
import { DataTable, type BulkActions, type Column } from '../parts/DataTable.tsx';
import { formatDuration } from '../parts/plotScale.ts';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { BoundedCount, JobRow, JobTab } from '../services.ts';
import { isFailed, jobStatus } from './jobStatus.ts';
import { describeOutcome } from './reasons.ts';

/** Jobs in rows, with what may be done to one of them and to many. */
export function JobTable({
  jobs,
  tab,
  matching,
}: {
  jobs: readonly JobRow[];
  tab: JobTab;
  matching: BoundedCount | null;
}) {
  const bulk = matching === null ? null : bulkOf(tab, matching);
  return (
    <DataTable
      caption="Jobs"
      columns={columns}
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
    buttons: ({ text }) => (
      <>
        <Button type="submit" name="intent" value={intent} variant="default">
          {`${word} (${text})`}
        </Button>
        <ConfirmDialog
          word="Delete"
          question={`Delete ${text} ${text === '1' ? 'job' : 'jobs'}?`}
          fields={{ intent: 'delete' }}
          form="bulk"
        >
          {tab === 'failed'
            ? 'Their history goes with them. This can’t be undone.'
            : 'They are never sent. This can’t be undone.'}
        </ConfirmDialog>
      </>
    ),
  };
}

const columns: Column<JobRow>[] = [
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
        <CutText text={`${method} ${url}`} />
      </Link>
    ),
  },
  {
    key: 'queue',
    head: 'Queue',
    width: '120px',
    cell: ({ queue, queueId }) => <Link to={`/queues/${queueId}`}>{queue}</Link>,
  },
  {
    key: 'attempt',
    head: 'Attempt',
    width: '76px',
    isNumber: true,
    cell: ({ attemptNumber }) => attemptNumber,
  },
  {
    key: 'outcome',
    head: 'Outcome',
    width: '150px',
    cell: (job) => <Outcome job={job} />,
  },
  {
    key: 'duration',
    head: 'Duration',
    width: '86px',
    isNumber: true,
    cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
  },
  { key: 'at', head: 'When', width: '92px', cell: ({ at }) => <Time at={at} /> },
  {
    key: 'actions',
    head: 'Actions',
    width: '164px',
    isWideOnPhone: true,
    cell: (job) => <JobActions job={job} isSmall />,
  },
];

function Outcome({ job }: { job: JobRow }) {
  return (
    <span title={job.errorMessage ?? undefined}>
      {describeOutcome(job)}
      {job.retriedAs ? (
        <>
          {', '}
          <Link to={`/jobs/${job.retriedAs}`}>retried</Link>
        </>
      ) : null}
    </span>
  );
}

/** The buttons for one job: what its state allows, nothing else. */
export function JobActions({
  job,
  isSmall = false,
}: {
  job: Pick<JobRow, 'id' | 'status'>;
  isSmall?: boolean;
}) {
  const isPending = job.status === 'pending';
  if (!isPending && !isFailed(job)) return null;
  const [intent, word] = isPending ? ['fire', 'Fire now'] : ['retry', 'Retry'];
  return (
    <span className="row" style={{ flexWrap: 'nowrap', gap: 6 }}>
      <Form method="post">
        <input type="hidden" name="job" value={job.id} />
        <Button
          type="submit"
          name="intent"
          value={intent}
          variant="default"
          {...(isSmall ? { size: 'compact-xs' } : {})}
        >
          {word}
        </Button>
      </Form>
      <ConfirmDialog
        word="Delete"
        question="Delete this job?"
        fields={{ intent: 'delete', job: job.id }}
        isSmall={isSmall}
      >
        {isPending
          ? 'It is never sent. This can’t be undone.'
          : 'Its record goes. This can’t be undone.'}
      </ConfirmDialog>
    </span>
  );
}
