/**
 * Every shared part once, with made-up data, for working on their look (`node testing/look.ts`). It is
 * built only where DASHBOARD_GALLERY is set.
 */
import { Button } from '@mantine/core';
import { Link, useLoaderData, useLocation, type LoaderFunctionArgs } from 'react-router';
import { requestFacts } from '../context.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { CutText } from '../parts/CutText.tsx';
import { DataTable, type BulkActions, type Column } from '../parts/DataTable.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { CheckField, ChoiceField, LinesField, TextField } from '../parts/Field.tsx';
import { FilterBar } from '../parts/FilterBar.tsx';
import { HeadersEditor } from '../parts/HeadersEditor.tsx';
import { JsonView } from '../parts/JsonView.tsx';
import { useLiveRefresh } from '../parts/LiveRefresh.tsx';
import { PageHeader } from '../parts/PageHeader.tsx';
import { Pagination } from '../parts/Pagination.tsx';
import { Lines, StackedBars } from '../parts/Plot.tsx';
import { formatCount, formatDuration } from '../parts/plotScale.ts';
import { ResultStrip, type Result } from '../parts/ResultStrip.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Status, type StatusName } from '../parts/Status.tsx';
import { TabLinks } from '../parts/TabLinks.tsx';
import { Time } from '../parts/Time.tsx';

type CronRow = {
  id: string;
  name: string;
  target: string;
  status: StatusName;
  nextAt: number | null;
  lastAt: number;
  results: Result[];
};
type JobRow = {
  id: string;
  status: StatusName;
  url: string;
  queue: string;
  attempt: number;
  at: number;
  durationMs: number;
  code: number | null;
};

const targets = [
  'https://billing.example.com/internal/invoices/close-month?tenant=northwind&dry=0',
  'https://hooks.example.org/v2/reindex',
  'https://api.example.net/customers/88213/sync/full?since=2026-11-20T00:00:00Z&include=orders,returns',
];

function madeResults(seed: number, now: number): Result[] {
  return Array.from({ length: 38 + ((seed * 7) % 13) }, (_, at) => {
    const isFailed = (at * (seed + 3)) % 17 === 0;
    return {
      id: `${seed}-${at}`,
      status: isFailed ? 'failed' : 'success',
      completedAt: now - (50 - at) * 300_000,
      durationMs: 90 + ((at * 131 * (seed + 1)) % 900),
      responseStatus: isFailed ? 503 : 200,
    };
  });
}

export function loader({ context }: LoaderFunctionArgs) {
  const { now } = context.get(requestFacts);
  const crons: CronRow[] = [
    'Close the month',
    'Reindex the catalogue',
    'Sync customers',
    'Warm the cache',
  ].map((name, at) => ({
    id: `c${at}`,
    name,
    target: targets[at % 3] ?? '',
    status: (['active', 'failed', 'active', 'paused'] as const)[at] ?? 'active',
    nextAt: at === 3 ? null : now + at * 3_700_000 + 42_000,
    lastAt: now - at * 170_000 - 9000,
    results: madeResults(at, now),
  }));
  const states: StatusName[] = [
    'processing',
    'pending',
    'retrying',
    'completed',
    'failed',
    'completed',
    'completed',
    'dead_lettered',
  ];
  const jobs: JobRow[] = states.map((status, at) => ({
    id: `019ab${at}3e-7c1f-7a52-b5d4-88f0c2ee91${at}a`,
    status,
    url: targets[at % 3] ?? '',
    queue: at % 2 ? 'mail' : 'billing',
    attempt: (at % 3) + 1,
    at: now - at * 61_000,
    durationMs: 40 + at * at * 310,
    code: at < 3 ? null : at % 4 === 0 ? 503 : 200,
  }));
  return { crons, jobs, now };
}

const cronColumns: Column<CronRow>[] = [
  { key: 'status', head: 'Status', width: '110px', cell: (row) => <Status name={row.status} /> },
  {
    key: 'name',
    head: 'Name',
    cell: (row) => (
      <>
        <Link to="/gallery">{row.name}</Link>
        <br />
        <span className="muted">
          <CutText text={row.target} />
        </span>
      </>
    ),
  },
  { key: 'next', head: 'Next run', width: '110px', cell: (row) => <Time at={row.nextAt} /> },
  { key: 'last', head: 'Last run', width: '110px', cell: (row) => <Time at={row.lastAt} /> },
  {
    key: 'strip',
    head: 'Last 50 runs',
    width: '230px',
    cell: (row) => <ResultStrip results={row.results} />,
  },
  { key: 'rate', head: 'Success', width: '90px', isNumber: true, cell: () => '98.4 %' },
];

const jobColumns: Column<JobRow>[] = [
  { key: 'status', head: 'Status', width: '140px', cell: (row) => <Status name={row.status} /> },
  { key: 'url', head: 'Target', cell: (row) => <CutText text={`POST ${row.url}`} /> },
  { key: 'queue', head: 'Queue', width: '110px', cell: (row) => row.queue },
  {
    key: 'attempt',
    head: 'Attempt',
    width: '80px',
    isNumber: true,
    cell: (row) => `${row.attempt} of 4`,
  },
  { key: 'code', head: 'Code', width: '70px', isNumber: true, cell: (row) => row.code ?? '–' },
  {
    key: 'duration',
    head: 'Duration',
    width: '100px',
    isNumber: true,
    cell: (row) => formatDuration(row.durationMs),
  },
  { key: 'at', head: 'Scheduled', width: '110px', cell: (row) => <Time at={row.at} /> },
];

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

export default function Gallery() {
  const loaderData = useLoaderData<typeof loader>();
  useLiveRefresh(5);
  return (
    <div className="stack">
      <PageHeader
        title="Gallery"
        beside={<Status name="active" />}
        note="Every shared part once"
        parent={{ to: '/', text: 'Overview' }}
        more={<Button variant="default">Pause</Button>}
        action={<Button>Run now</Button>}
      />
      <DataTable
        caption="Crons"
        columns={cronColumns}
        rows={loaderData.crons}
        keyOf={(row) => row.id}
        isLive
      />
      <Jobs jobs={loaderData.jobs} />
      <Plots />
      <Forms />
      <Details now={loaderData.now} />
    </div>
  );
}

const bulk: BulkActions = {
  matching: { count: 10_000, isMore: true },
  buttons: ({ text }) => (
    <>
      <Button type="submit" name="intent" value="retry" variant="default">
        Retry ({text})
      </Button>
      <ConfirmDialog
        word="Delete"
        question={`Delete ${text} jobs?`}
        fields={{ intent: 'delete' }}
        form="bulk"
      >
        They are never sent. This can’t be undone.
      </ConfirmDialog>
    </>
  ),
};

function Jobs({ jobs }: { jobs: JobRow[] }) {
  const { search } = useLocation();
  const tab = new URLSearchParams(search).get('tab') ?? 'all';
  const tabs = ['All', 'Pending', 'Processing', 'Retrying', 'Completed', 'Failed'];
  return (
    <div>
      <TabLinks
        label="Jobs by state"
        tabs={tabs.map((name, at) => ({
          name,
          to: `?tab=${name.toLowerCase()}`,
          isCurrent: tab === name.toLowerCase(),
          count: ['10,000+', '12', '3', '2', '9,871', '41'][at] ?? '',
        }))}
      />
      <FilterBar label="Search jobs" keep={['tab']} clearTo="/gallery">
        <input
          className="control"
          type="search"
          name="q"
          aria-label="Search"
          placeholder="Id, URL, text, status code"
        />
        <select className="control" name="queue" aria-label="Queue">
          <option value="">All queues</option>
          <option>billing</option>
        </select>
      </FilterBar>
      <DataTable
        caption="Jobs"
        columns={jobColumns}
        rows={jobs}
        keyOf={(row) => row.id}
        isLive
        bulk={bulk}
      />
      <Pagination older="abc" newer={null} note="50 of 10,000+" />
    </div>
  );
}

function Plots() {
  const success = hours.map((_, at) => 400 + ((at * 97) % 260));
  const failed = hours.map((_, at) => (at % 5 === 0 ? 12 : 0));
  const retried = hours.map((_, at) => (at * 13) % 40);
  return (
    <div
      style={{
        display: 'grid',
        gap: 16,
        gridTemplateColumns: 'repeat(auto-fit, minmax(340px, 1fr))',
      }}
    >
      <section className="panel">
        <div className="body">
          <StackedBars
            title="Runs per hour"
            labels={hours}
            format={formatCount}
            series={[
              { name: 'Success', tone: 'teal', values: success },
              { name: 'Retried', tone: 'orange', values: retried },
              { name: 'Failed', tone: 'red', values: failed },
            ]}
          />
        </div>
      </section>
      <section className="panel">
        <div className="body">
          <Lines
            title="Duration"
            labels={hours}
            format={formatDuration}
            series={[
              {
                name: 'Median',
                tone: 'teal',
                values: hours.map((_, at) => (at === 9 ? Number.NaN : 120 + ((at * 37) % 80))),
              },
              {
                name: '95 %',
                tone: 'slate',
                values: hours.map((_, at) => 600 + ((at * 211) % 900)),
              },
            ]}
          />
        </div>
      </section>
    </div>
  );
}

function Forms() {
  return (
    <section className="panel">
      <header>
        <h2>Fields</h2>
        <ConfirmDialog
          word="Delete"
          question="Delete the queue “mail”?"
          fields={{ intent: 'delete' }}
        >
          Its 12 waiting jobs and 2,310 finished ones go with it.
        </ConfirmDialog>
      </header>
      <form className="body stack" style={{ maxWidth: 560 }}>
        <TextField
          name="name"
          label="Name"
          placeholder="Close the month"
          errors={{ name: ['A name for the cron job is required.'] }}
        />
        <TextField
          name="url"
          label="URL"
          description="Must be publicly reachable."
          placeholder="https://"
        />
        <ChoiceField
          name="method"
          label="Method"
          choices={['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((text) => ({ value: text, text }))}
        />
        <HeadersEditor
          name="headers"
          label="Headers"
          defaultValue={'Authorization: Bearer abc\nX-Trace: on'}
        />
        <LinesField
          name="payload"
          label="Payload"
          mono
          rows={3}
          placeholder='{"month": "2026-11"}'
        />
        <CheckField name="is_active" label="Start at once" defaultChecked />
        <div className="row">
          <Button>Create cron</Button>
          <Button variant="default">Test run</Button>
          <Button variant="quiet">Keep</Button>
          <Button disabled>Start</Button>
        </div>
      </form>
    </section>
  );
}

function Details({ now }: { now: number }) {
  const all = [
    'success',
    'failed',
    'retrying',
    'processing',
    'pending',
    'paused',
    'muted',
    'warning',
  ] as const;
  return (
    <>
      <section className="panel">
        <div className="body">
          <div className="row" style={{ gap: 20, marginBottom: 12 }}>
            {all.map((name) => (
              <Status key={name} name={name} />
            ))}
          </div>
          <DefinitionList
            entries={[
              [
                'Id',
                <CutText key="id" text="019ab13e-7c1f-7a52-b5d4-88f0c2ee911a" copy="Copy id" />,
              ],
              ['URL', <CutText key="url" text={targets[2] ?? ''} copy="Copy URL" />],
              ['Scheduled', <Time key="time" at={now} exact />],
            ]}
          />
        </div>
      </section>
      <JsonView
        label="response body"
        text='{"id":9007199254740993,"total":1.0,"items":[{"sku":"A-1","ok":true,"note":"caf\u00e9"},{}],"next":null}'
      />
      <JsonView label="page" text={`<h1>Bad gateway</h1>${'x'.repeat(2400)}`} />
      <EmptyState
        title="No crons yet"
        example="0 6 * * 1-5   every weekday at 06:00 UTC"
        action={<Button>Create cron</Button>}
      >
        A cron calls a URL on a schedule and keeps the result of each run.
      </EmptyState>
      <Skeleton />
    </>
  );
}
