import { Button } from '@mantine/core';
import { data, Form, Link } from 'react-router';
import alertClasses from '../alerts/Alerts.module.css';
import { MaintenanceNotice, MutedMark } from '../alerts/MaintenanceNotice.tsx';
import { type MutedNow, readMutedNow } from '../alerts/mutedNow.ts';
import { requestFacts, services, signedIn } from '../context.ts';
import { redirectWithToast } from '../cookies.ts';
import { DataTable, type Column } from '../parts/DataTable.tsx';
import { CutText } from '../parts/CutText.tsx';
import { readCronFilter } from '../runs/cronFilter.ts';
import { EmptyState } from '../parts/EmptyState.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { useLiveRefresh } from '../parts/LiveRefresh.tsx';
import { PageHeader } from '../parts/PageHeader.tsx';
import { Pagination } from '../parts/Pagination.tsx';
import { readText } from '../parts/readForm.ts';
import { readCursor } from '../parts/readCursor.ts';
import { ResultStrip } from '../parts/ResultStrip.tsx';
import { describeExpression } from '../parts/scheduleWords.ts';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { formatRate } from '../runs/rates.ts';
import type { CronRow, CronSearch } from '../services.ts';
import classes from './crons.module.css';
import type { Route } from './+types/crons.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const filter = readCronFilter(url.searchParams);
  const page = await work.listCronRows(team.id, { ...filter, ...readCursor(url) });
  const ids = page.crons.map(({ cron }) => cron.id);
  return { ...page, filter, muted: await readMutedNow(work, team.id, 'cron', ids) };
}

const done = {
  run: ['runCronNow', 'One run is on its way, beside the schedule.'],
  start: ['startCron', 'The cron runs on schedule again.'],
  pause: ['pauseCron', 'The cron is paused: it does not run until it is started.'],
} as const;

export async function action({ request, context }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const form = await request.formData();
  const intent = readText(form, 'intent');
  if (!Object.hasOwn(done, intent)) throw data(null, { status: 400 });
  const [verb, text] = done[intent as keyof typeof done];
  const changed = await context.get(services).work[verb](team.id, readText(form, 'id'));
  return redirectWithToast(
    '/crons',
    changed
      ? { kind: 'done', text }
      : { kind: 'failed', text: 'That cron is no longer here. Nothing was changed.' },
    context.get(requestFacts).baseUrl,
  );
}

export default function Crons({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(10);
  const { crons, next, previous, filter, muted } = loaderData;
  const create = (
    <Button component={Link} to="/crons/new">
      Create cron
    </Button>
  );
  if (crons.length === 0 && previous === null && filter === null) {
    return (
      <>
        <PageHeader title="Crons" />
        <EmptyState
          title="No crons yet"
          example="0 6 * * MON-FRI   at 06:00 UTC, Monday through Friday"
          action={create}
        >
          A cron calls a URL on a schedule, keeps the result of each run and can tell you when runs
          fail.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Crons" action={create} />
      <div className={alertClasses.notices}>
        <MaintenanceNotice windows={muted.team} of="the team" />
      </div>
      <Filters filter={filter} />
      {crons.length === 0 ? (
        <EmptyState title="No cron matches">Clear the search to see all of them.</EmptyState>
      ) : (
        <DataTable
          caption="Crons"
          columns={columnsWith(muted)}
          rows={crons}
          keyOf={({ cron }) => cron.id}
          isLive
        />
      )}
      <Pagination older={next} newer={previous} words={byName} />
    </>
  );
}

function Filters({ filter }: { filter: CronSearch | null }) {
  return (
    <FilterBar label="Search crons" {...(filter ? { clearTo: '/crons' } : {})}>
      <input
        className="control"
        type="search"
        name="q"
        aria-label="Search"
        placeholder="Name, URL or id"
        defaultValue={filter?.text ?? ''}
      />
      <select
        className="control"
        name="status"
        aria-label="Status"
        defaultValue={filter?.status ?? ''}
      >
        <option value="">All</option>
        <option value="active">Active</option>
        <option value="paused">Paused</option>
        <option value="failed">Last run failed</option>
      </select>
    </FilterBar>
  );
}

const byName = { older: 'Next', newer: 'Previous', newest: 'First' };

const columnsWith = (muted: MutedNow): Column<CronRow>[] => [statusColumn(muted), ...otherColumns];

const statusColumn = ({ byId }: MutedNow): Column<CronRow> => ({
  key: 'status',
  head: 'Status',
  width: '90px',
  cell: ({ cron }) => (
    <span className={classes.states}>
      <Status name={cron.isActive ? 'active' : 'paused'} />
      <MutedMark windows={byId[cron.id]} />
    </span>
  ),
});

const otherColumns: Column<CronRow>[] = [
  {
    key: 'name',
    head: 'Name',
    cell: ({ cron }) => (
      <span className={classes.name}>
        <Link to={`/crons/${cron.id}`} title={cron.name}>
          {cron.name}
        </Link>
        <span className="muted">
          <CutText text={`${cron.method} ${cron.url}`} />
        </span>
      </span>
    ),
  },
  {
    key: 'schedule',
    head: 'Schedule',
    width: '180px',
    isWideOnPhone: true,
    cell: ({ cron }) => (
      <span title={cron.cronExpression}>{describeExpression(cron.cronExpression)}</span>
    ),
  },
  {
    key: 'next',
    head: 'Next run',
    width: '84px',
    cell: ({ cron }) => <Time at={cron.nextRunAt} />,
  },
  {
    key: 'last',
    head: 'Last run',
    width: '152px',
    isWideOnPhone: true,
    cell: (row) => <LastRun row={row} />,
  },
  {
    key: 'strip',
    head: 'Last 50 runs',
    width: '164px',
    isHiddenOnPhone: true,
    cell: ({ strip }) => <ResultStrip results={strip} />,
  },
  {
    key: 'rate',
    head: 'Success',
    width: '78px',
    isNumber: true,
    cell: ({ successRate }) => formatRate(successRate),
  },
  {
    key: 'actions',
    head: 'Actions',
    width: '174px',
    isWideOnPhone: true,
    cell: ({ cron }) => <RowActions id={cron.id} name={cron.name} isActive={cron.isActive} />,
  },
];

function LastRun({ row: { lastRun } }: { row: CronRow }) {
  if (lastRun === null) return <span className="muted">never run</span>;
  if (lastRun.status === 'running') return <Status name="running" />;
  return (
    <Link className={classes.last} to={`/executions/${lastRun.id}`}>
      <Status name={lastRun.status} {...(lastRun.status === 'success' ? { word: 'OK' } : {})} />
      <Time at={lastRun.completedAt} />
    </Link>
  );
}

function RowActions({ id, name, isActive }: { id: string; name: string; isActive: boolean }) {
  const [intent, word] = isActive ? ['pause', 'Pause'] : ['start', 'Start'];
  return (
    <Form method="post" className={classes.actions}>
      <input type="hidden" name="id" value={id} />
      <Button
        type="submit"
        name="intent"
        value={intent}
        variant="default"
        size="compact-xs"
        title={`${word} ${name}`}
      >
        {word}
      </Button>
      <Button
        type="submit"
        name="intent"
        value="run"
        variant="default"
        size="compact-xs"
        title={`Run ${name} now`}
      >
        Run now
      </Button>
    </Form>
  );
}
