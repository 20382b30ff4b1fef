import { Button } from '@mantine/core';
import { data, Link, useLocation } from 'react-router';
import { requestFacts, services, signedIn } from '../context.ts';
import { redirectWithToast } from '../cookies.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { CutText } from '../parts/CutText.tsx';
import { DataTable, type Column } from '../parts/DataTable.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { useLiveRefresh } from '../parts/LiveRefresh.tsx';
import { PageHeader } from '../parts/PageHeader.tsx';
import { changeSearch } from '../parts/Pagination.tsx';
import { readText } from '../parts/readForm.ts';
import { Sparkline } from '../parts/Sparkline.tsx';
import { TabLinks } from '../parts/TabLinks.tsx';
import { formatUtc, Time } from '../parts/Time.tsx';
import { isRecent } from '../runs/bulkProgress.ts';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import { actOnJobs, readKind } from '../runs/jobActions.ts';
import { readJobSearch, writeJobSearch } from '../runs/jobSearch.ts';
import { nameReason } from '../runs/reasons.ts';
import { findRange, ranges, weekRange, type Range } from '../runs/ranges.ts';
import type { FailureGroup } from '../services.ts';
import type { Route } from './+types/failures.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const { now } = context.get(requestFacts);
  const params = url.searchParams;
  const range = params.has('range') ? findRange(params.get('range')) : weekRange;
  const queueId = params.get('queue');
  const [found, queues, tasks] = await Promise.all([
    work.groupFailures(team.id, {
      from: now - range.ms,
      to: now,
      ...(queueId ? { queueId } : {}),
      ...(params.get('hide_retried') === '1' ? { hideRetried: true } : {}),
    }),
    work.listQueues(team.id),
    work.listBulkTasks(team.id),
  ]);
  return {
    ...found,
    range,
    queues: queues.map(({ id, name }) => ({ id, name })),
    tasks: tasks.filter((task) => isRecent(task, now)),
  };
}

export async function action({ request, context, url }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const form = await request.formData();
  const kind = readKind(form);
  const { search, searchParams } = new URL(readText(form, 'group'), 'http://group');
  if ((kind !== 'retry' && kind !== 'delete') || search === '') throw data(null, { status: 400 });
  form.set('all', '1');
  const toast = await actOnJobs(work, team.id, {
    kind,
    form,
    search: { ...readJobSearch(searchParams), tab: 'failed' },
  });
  return redirectWithToast(`/failures${url.search}`, toast, context.get(requestFacts).baseUrl);
}

export default function Failures({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(10);
  const { groups, range, queues, tasks, countedBackTo } = loaderData;
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  return (
    <>
      <PageHeader
        title="Failures"
        note="Jobs that failed for good, together where reason, target and code are the same."
      />
      <BulkTasks tasks={tasks} />
      <TabLinks
        label="Time range"
        tabs={ranges.map(({ name, word }) => ({
          name: word,
          to: changeSearch(search, { range: name }),
          isCurrent: name === range.name,
        }))}
      />
      <Filters queues={queues} params={params} range={range} />
      {groups.length === 0 ? (
        <EmptyState
          title={`No job failed in the last ${range.word}`}
          example="1,240 jobs   HTTP server error, 503   https://api.example.com/hook"
          action={
            <Button component={Link} to="/jobs" variant="default">
              Look at jobs
            </Button>
          }
        >
          When jobs fail for good, they stand here by reason, target and code, so that thousands of
          failures with one cause are one line, to be retried or deleted together.
        </EmptyState>
      ) : (
        <DataTable
          caption="Failures"
          columns={columns(range.word)}
          rows={groups}
          keyOf={({ reason, statusCode, target }) => `${reason} ${statusCode} ${target}`}
          isLive
        />
      )}
      {countedBackTo === null ? null : (
        <p className="muted">{`There are more than are counted here: the newest are in, back to ${formatUtc(countedBackTo)}.`}</p>
      )}
    </>
  );
}

function Filters({
  queues,
  params,
  range,
}: {
  queues: readonly { id: string; name: string }[];
  params: URLSearchParams;
  range: Range;
}) {
  const isNarrowed = params.has('queue') || params.has('hide_retried');
  return (
    <FilterBar
      label="Filter failures"
      keep={['range']}
      {...(isNarrowed ? { clearTo: `/failures?range=${range.name}` } : {})}
    >
      <select
        className="control"
        name="queue"
        aria-label="Queue"
        defaultValue={params.get('queue') ?? ''}
      >
        <option value="">All queues</option>
        {queues.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <label className="row">
        <input
          type="checkbox"
          name="hide_retried"
          value="1"
          defaultChecked={params.get('hide_retried') === '1'}
        />
        Hide retried
      </label>
    </FilterBar>
  );
}

function columns(span: string): Column<FailureGroup>[] {
  return [
    {
      key: 'count',
      head: 'Jobs',
      width: '72px',
      isNumber: true,
      cell: (group) => (
        <Link to={writeJobSearch(group.search)}>{group.count.toLocaleString('en')}</Link>
      ),
    },
    {
      key: 'reason',
      head: 'Reason',
      width: '180px',
      cell: ({ reason, statusCode }) =>
        `${nameReason(reason)}${statusCode === null ? '' : `, ${statusCode}`}`,
    },
    {
      key: 'target',
      head: 'Target',
      cell: ({ target }) => <CutText text={target} />,
    },
    {
      key: 'plot',
      head: `Last ${span}`,
      width: '116px',
      cell: ({ series }) => <Sparkline values={series} label={`Failures, last ${span}`} />,
    },
    {
      key: 'first',
      head: 'First seen',
      width: '88px',
      cell: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
    },
    {
      key: 'last',
      head: 'Last seen',
      width: '88px',
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    },
    {
      key: 'left',
      head: 'Not retried',
      width: '96px',
      isNumber: true,
      cell: ({ notRetried }) => notRetried.toLocaleString('en'),
    },
    {
      key: 'actions',
      head: 'Actions',
      width: '150px',
      isWideOnPhone: true,
      cell: (group) => <GroupActions group={group} />,
    },
  ];
}

/** Retry takes what nobody has retried yet; Delete takes the whole group. */
function GroupActions({ group }: { group: FailureGroup }) {
  const { count, notRetried, target } = group;
  const jobs = (number: number) =>
    `${number.toLocaleString('en')} ${number === 1 ? 'failed job' : 'failed jobs'}`;
  return (
    <span className="row" style={{ flexWrap: 'nowrap', gap: 6 }}>
      {notRetried > 0 ? (
        <ConfirmDialog
          word="Retry"
          question={`Retry ${jobs(notRetried)}?`}
          fields={{
            intent: 'retry',
            group: writeJobSearch({ ...group.search, hideRetried: true }),
          }}
          variant="default"
          isSmall
        >
          {`Each becomes a new job to ${target}, attempt 1, that runs now. The failed ones stay as they are.`}
        </ConfirmDialog>
      ) : null}
      <ConfirmDialog
        word="Delete"
        question={`Delete ${jobs(count)}?`}
        fields={{ intent: 'delete', group: writeJobSearch(group.search) }}
        isSmall
      >
        Their records and responses go with them. This can’t be undone.
      </ConfirmDialog>
    </span>
  );
}
