import { open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { data, Link, useLocation } from 'react-router';
import { countOf } from '../words/amounts.ts';
import { RequestLine } from '../parts/RequestLine.tsx';
import { actionsColumn, type Column, numberColumn, timeColumn } from '../lists/DataTable.tsx';
import { FilterBar, OtherFaults } from '../lists/FilterBar.tsx';
import { changeSearch, EmptyState, List } from '../lists/List.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { FilterReader, type ReadFilters } from '#domain/runs/read-filters';
import { Sparkline } from '../plots/Sparkline.tsx';
import { TabLinks } from '../page/TabLinks.tsx';
import { Time } from '../parts/Time.tsx';
import { formatUtc } from '../words/times.ts';
import { AskAgain, SpreadField } from '../runs/AskAgain.tsx';
import { listShown, readJobSearch, writeJobSearch } from '../runs/job-search.ts';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import { QueueFilter } from '../runs/JobFilters.tsx';
import { actOnJobs, readKind } from '../runs/job-actions.ts';
import { describeGroup } from '../runs/reasons.ts';
import { startOfAnswer } from '../runs/run-text.ts';
import { ranges, type Range } from '../runs/ranges.ts';
import type { FailureGroup, JobSearch } from '../services.ts';
import type { Route } from './+types/failures.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const [queues, tasks] = await Promise.all([
    work.listQueues(team.id),
    work.listBulkTasks(team.id),
  ]);
  const { search, faults } = readFailureFilters(url.searchParams, queues);
  const range = search?.range ?? null;
  // The linked lists take whole seconds.
  const to = Math.ceil(now / 1000) * 1000;
  const found = search
    ? await work.groupFailures(team.id, {
        to,
        ...(range && { from: to - range.ms }),
        ...(search.queueId !== undefined && { queueId: search.queueId }),
      })
    : { groups: [], from: to, to, countedBackTo: null };
  return {
    ...found,
    range,
    faults,
    queues: queues.map(({ id, name }) => ({ id, name })),
    asOf: now,
    tasks: listShown(tasks, now),
  };
}

type FailureFilters = { range: Range | null; queueId: string | undefined };

function readFailureFilters(
  params: URLSearchParams,
  queues: readonly { id: string }[],
): ReadFilters<FailureFilters> {
  const filters = new FilterReader(params);
  const ofTeam = (text: string) => (queues.some(({ id }) => id === text) ? text : null);
  const name = filters.choice('range', ['all', ...ranges.map((range) => range.name)]);
  const queueId = filters.read('queue', ofTeam, 'This team has no such queue.');
  return filters.finish({ range: ranges.find((each) => each.name === name) ?? null, queueId });
}

export async function action({ context, url }: Route.ActionArgs) {
  const opened = open(context);
  const { form } = opened;
  const kind = readKind(form);
  const query = /^\/jobs\?(.+)$/s.exec(opened.field('group'))?.[1];
  if ((kind !== 'retry' && kind !== 'delete') || query === undefined)
    throw data(null, { status: 400 });
  form.set('all', '1');
  const read = readJobSearch(new URLSearchParams(query));
  const search: JobSearch | null = read.search && { ...read.search, tab: 'failed' };
  return actOnJobs(opened, { kind, search, here: `/failures${url.search}` });
}

export default function Failures({ loaderData }: Route.ComponentProps) {
  const { groups, range, faults, queues, tasks, countedBackTo } = loaderData;
  const { search } = useLocation();
  return (
    <>
      <PageHeader
        title="Failures"
        every={10}
        note="Failed jobs that have no retries left and were not resent, grouped by reason, target and status code."
      />
      <AskAgain />
      <BulkTasks tasks={tasks} />
      <TabLinks
        label="Time range"
        tabs={[{ name: 'all', word: 'All' }, ...ranges].map(({ name, word }) => ({
          name: word,
          to: changeSearch(search, { range: name }),
          isCurrent: faults?.['range'] === undefined && name === (range?.name ?? 'all'),
        }))}
      />
      <FilterBar
        label="Filter failures"
        faults={faults}
        keep={['range']}
        clearTo={`/failures?range=${range?.name ?? 'all'}`}
      >
        <QueueFilter queues={queues} />
        <OtherFaults faults={faults} names={{ range: 'Time range' }} />
      </FilterBar>
      <List
        faults={faults}
        caption="Failures"
        columns={columnsFor(loaderData)}
        rows={groups}
        keyOf={({ reason, statusCode, target }) => `${reason} ${statusCode} ${target}`}
        empty={
          <EmptyState
            title={range ? `No job failed in the last ${range.word}` : 'No failed jobs'}
            example="1,240 jobs   HTTP server error, 503   https://api.example.com/hook"
            action={
              <ButtonLink to="/jobs" variant="default">
                Look at jobs
              </ButtonLink>
            }
          >
            Failed jobs are grouped here by reason, target and status code, so that you can retry or
            delete thousands of failures with one cause together.
          </EmptyState>
        }
      />
      {countedBackTo === null ? null : (
        <p className="muted">{`Only the newest failures are counted, back to ${formatUtc(countedBackTo)}. There are older ones.`}</p>
      )}
    </>
  );
}

type Shown = Route.ComponentProps['loaderData'];

function columnsFor({ range, queues, asOf, ...times }: Shown): Column<FailureGroup>[] {
  const span = { ...times, name: range ? `Last ${range.word}` : 'Since the first' };
  return [
    numberColumn('Jobs', '60px', ({ search, count }) => (
      <Link to={writeJobSearch(search)}>{count.toLocaleString('en')}</Link>
    )),
    {
      head: 'Reason',
      isPlain: true,
      width: '196px',
      cell: ({ reason, statusCode, sample }) => (
        <span className="two">
          <span className="whole">{describeGroup(reason, statusCode)}</span>
          {sample ? (
            <code className="muted" title={startOfAnswer(sample)}>
              {startOfAnswer(sample)}
            </code>
          ) : null}
        </span>
      ),
    },
    {
      head: 'Target',
      cell: ({ target, search }) => (
        <Link to={writeJobSearch(search)}>
          <RequestLine url={target} />
        </Link>
      ),
    },
    {
      head: 'Queue',
      isPlain: true,
      hiddenBelow: 600,
      width: '118px',
      givesWay: 3,
      cell: ({ queueIds }) => {
        const [id = '', ...more] = queueIds;
        const name = queues.find((queue) => queue.id === id)?.name ?? 'Deleted';
        if (more.length > 0) return `${queueIds.length} queues`;
        return (
          <Link to={`/queues/${id}`} title={name} className="whole">
            {name}
          </Link>
        );
      },
    },
    {
      head: 'Since',
      hiddenBelow: 600,
      isTime: true,
      width: '116px',
      givesWay: 4,
      cell: ({ firstSeenAt }) => <Time at={firstSeenAt} isAbsolute />,
    },
    {
      head: span.name,
      width: '96px',
      hiddenBelow: 900,
      givesWay: 2,
      cell: ({ series }) => (
        <span title={`${formatUtc(span.from)} to ${formatUtc(span.to)}`}>
          <Sparkline values={series} label={`Failures from ${formatUtc(span.from)}`} />
        </span>
      ),
    },
    timeColumn('Last seen', ({ lastSeenAt }) => lastSeenAt, {
      hiddenBelow: 900,
      width: '116px',
      givesWay: 1,
    }),
    actionsColumn('132px', (group) => <GroupActions group={group} asOf={asOf} />),
  ];
}

function GroupActions({ group, asOf }: { group: FailureGroup; asOf: number }) {
  const { count, target, search, reason, statusCode, redirectsTo } = group;
  const jobs = countOf(count, 'failed job', 'failed jobs');
  const fields = { group: writeJobSearch(search), as_of: String(asOf) };
  const shared = { controls: <SpreadField />, variant: 'default', isSmall: true } as const;
  const retry = (
    <ConfirmDialog
      {...shared}
      word="Retry"
      question={`Retry ${jobs}?`}
      fields={{ intent: 'retry', ...fields }}
    >
      {`Each becomes a new job to ${target}, attempt 1. It is due now, or later if you set a rate. The failed jobs are kept, marked as resent.`}
    </ConfirmDialog>
  );
  return (
    <span className="row together">
      {redirectsTo === null ? (
        retry
      ) : (
        <ConfirmDialog
          {...shared}
          word="Use this URL"
          question={`Send ${jobs} to another URL?`}
          fields={{ intent: 'retry', send_to: redirectsTo, ...fields }}
        >
          <p>
            The target redirects to <code className="whole">{redirectsTo}</code>. Each job becomes a
            new one to this URL, with its own query, headers and payload. The failed jobs are kept,
            marked as resent.
          </p>
          <p>Change the URL where the jobs are created, too, or the next ones fail again.</p>
        </ConfirmDialog>
      )}
      <MoreActions of={describeGroup(reason, statusCode)} isSmall>
        {redirectsTo === null ? null : retry}
        <ConfirmDialog
          word="Delete"
          question={`Delete ${jobs}?`}
          fields={{ intent: 'delete', ...fields }}
        >
          Their records and responses are deleted too. This can’t be undone.
        </ConfirmDialog>
      </MoreActions>
    </span>
  );
}
