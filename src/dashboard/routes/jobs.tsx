import { open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { data, Link, useLocation } from 'react-router';
import { countOf, formatAmount, isOne } from '../words/amounts.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { byDue, byTime, changeSearch, EmptyState, List } from '../lists/List.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { readCursor } from '../lists/cut-page.ts';
import { TabLinks } from '../page/TabLinks.tsx';
import { Time } from '../parts/Time.tsx';
import { AskAgain, SpreadField } from '../runs/AskAgain.tsx';
import {
  listShown,
  actsOn,
  jobTabs,
  readJobSearch,
  readTab,
  refuseQueue,
} from '../runs/job-search.ts';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import { actOnJobs, readKind } from '../runs/job-actions.ts';
import { JobFilters } from '../runs/JobFilters.tsx';
import { jobBulk, jobColumns, type JobRow } from '../runs/JobTable.tsx';
import type { BoundedCount, JobListRow, JobSearch, JobTab, Work } from '../services.ts';
import type { Route } from './+types/jobs.ts';
import classes from './jobs.module.css';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const params = url.searchParams;
  const queues = await work.listQueues(team.id);
  const { search, faults } = refuseQueue(readJobSearch(params), queues);
  const given = Object.keys(search ?? {}).filter((name) => name !== 'tab');
  const narrowed = given.length > 0;
  const tab = readTab(params);
  const cursor = readCursor(url);
  const mayShowResent = search?.tab === 'failed' && search.resent !== undefined;
  const [page, toCome, counts, tasks, matching, resent] = await Promise.all([
    work.searchJobs(team.id, search && leaveOutToCome(search, now), cursor),
    search?.tab === 'all' && !cursor.cursor ? listToCome(work, team.id, search, now) : [],
    work.countTabs(team.id, search?.queueId),
    work.listBulkTasks(team.id),
    search && narrowed && actsOn(search.tab) ? work.countJobs(team.id, search) : null,
    mayShowResent ? work.countJobs(team.id, { ...search, resent: 'only' }) : none,
  ]);
  const shown = await work.readShownField(team.id, [...page.rows, ...toCome]);
  const withField = (job: JobListRow): JobRow => ({ ...job, field: shown?.values[job.id] ?? null });
  return {
    page: { ...page, rows: page.rows.map(withField) },
    toCome: toCome.map(withField),
    path: shown?.path ?? null,
    tab,
    narrowed,
    faults,
    isOfOneQueue: search !== null && given.every((name) => name === 'queueId'),
    resent,
    asOf: now,
    counts,
    queues: queues.map(({ id, name }) => ({ id, name })),
    pausedQueueIds: queues.filter(({ isPaused }) => isPaused).map(({ id }) => id),
    tasks: listShown(tasks, now),
    matching: faults ? none : (matching ?? counts[tab]),
  };
}

const none: BoundedCount = { count: 0, isMore: false };

/** They are listed separately. */
function leaveOutToCome(search: JobSearch, now: number): JobSearch {
  if (search.tab !== 'all' || search.id !== undefined) return search;
  return { ...search, to: Math.min(search.to ?? now + 1, now + 1) };
}

const mostToCome = 10;

/** Soonest first. An id finds all attempts in one list. */
async function listToCome(work: Work, teamId: string, search: JobSearch, now: number) {
  if (search.id !== undefined) return [];
  const from = Math.max(search.from ?? 0, now + 1);
  const pages = await Promise.all(
    (['pending', 'retrying'] as const).map((tab) =>
      work.searchJobs(teamId, { ...search, tab, from }, { limit: mostToCome }),
    ),
  );
  const jobs = pages.flatMap((page) => page.rows);
  return jobs.toSorted((a, b) => a.at - b.at).slice(0, mostToCome);
}

export async function action({ context, url }: Route.ActionArgs) {
  const opened = open(context);
  const kind = readKind(opened.form);
  if (kind === null) throw data(null, { status: 400 });
  const { search } = readJobSearch(url.searchParams);
  return actOnJobs(opened, { kind, search, here: `/jobs${url.search}` });
}

export default function Jobs({ loaderData }: Route.ComponentProps) {
  const { page, tab, faults, counts, queues, tasks, matching } = loaderData;
  const { search } = useLocation();
  const { retried, resent } = counts;
  const { toCome } = loaderData;
  const [first] = toCome;
  // So that the numbers on the tabs add up.
  const inNoTab = [
    ...(retried.count > 0
      ? [countOf(retried, 'attempt that was retried', 'attempts that were retried')]
      : []),
    ...(resent.count > 0
      ? [countOf(resent, 'failed job that was resent', 'failed jobs that were resent')]
      : []),
  ];
  return (
    <>
      <PageHeader
        title="Jobs"
        every={5}
        more={<ForAll {...loaderData} />}
        // Apart from Retry, so that no one clicks it instead.
        menu={
          tab === 'failed' && matching.count > 0 ? (
            <MoreActions of="all failed jobs">
              <ConfirmDialog
                word="Delete all failed"
                question={`Delete ${countOf(matching, 'failed job', 'failed jobs')}${sayWhich(loaderData)}?`}
                fields={{ intent: 'delete', all: '1', as_of: String(loaderData.asOf) }}
              >
                {sayResent(loaderData.resent)} Their records and responses are deleted too. This
                can’t be undone.
              </ConfirmDialog>
            </MoreActions>
          ) : null
        }
        action={<ButtonLink to="/jobs/new">Create job</ButtonLink>}
      />
      <AskAgain />
      <BulkTasks tasks={tasks} />
      <TabLinks
        label="Jobs by state"
        tabs={jobTabs.map((each) => ({
          name: each.name,
          to: tabAddress(search, each.tab),
          isCurrent: each.tab === tab,
          count: countOnTab(loaderData, each.tab),
        }))}
      />
      <JobFilters queues={queues} tab={tab} faults={faults} resent={resent} />
      {tab === 'all' && loaderData.isOfOneQueue && inNoTab.length > 0 ? (
        <p className="muted">{`All includes ${inNoTab.join(' and ')}.`}</p>
      ) : null}
      {first ? (
        <details className={classes.toCome} open={page.rows.length < mostPastJobs}>
          <summary>
            To come: the next <Time at={first.at} />
          </summary>
          <DataTable
            caption="Jobs to come"
            columns={jobColumns(toCome, loaderData.pausedQueueIds, loaderData.path)}
            rows={toCome}
            isLive
            hasMore={toCome.length === mostToCome}
          />
          <p>
            <Link to="/jobs?tab=pending">All pending</Link>,{' '}
            <Link to="/jobs?tab=retrying">all retrying</Link>
          </p>
        </details>
      ) : null}
      <List
        faults={faults}
        caption="Jobs"
        columns={jobColumns(page.rows, loaderData.pausedQueueIds, loaderData.path)}
        rows={page.rows}
        bulk={jobBulk(tab, matching, loaderData.asOf)}
        empty={<Nothing {...loaderData} />}
        page={page}
        words={tab === 'pending' || tab === 'retrying' ? byDue : byTime}
      />
    </>
  );
}

type Shown = Route.ComponentProps['loaderData'];

/** With more past jobs the list of future ones is closed. */
const mostPastJobs = 10;

/** With filters, only the current tab is counted. */
function countOnTab({ tab, counts, matching, isOfOneQueue }: Shown, of: JobTab) {
  if (isOfOneQueue) return formatAmount(counts[of]);
  return of === tab && actsOn(tab) ? formatAmount(matching) : undefined;
}

/** Keeps the filters. Only failed jobs can have been resent. */
function tabAddress(search: string, tab: JobTab): string {
  const others = tab === 'failed' ? {} : { resent: null };
  return changeSearch(search, { tab, after: null, before: null, ...others });
}

function ForAll({ tab, narrowed, matching, resent, asOf }: Shown) {
  if (matching.count === 0) return null;
  const which = sayWhich({ narrowed, matching });
  const fields = { all: '1', as_of: String(asOf) };
  if (tab === 'pending') {
    const many = countOf(matching, 'pending job', 'pending jobs');
    return (
      <ConfirmDialog
        word="Fire all pending"
        question={`Fire ${many}${which}?`}
        fields={{ intent: 'fire', ...fields }}
        variant="default"
      >
        They are due at once instead of at their time. A paused queue still holds its jobs.
      </ConfirmDialog>
    );
  }
  if (tab !== 'failed') return null;
  const many = countOf(matching, 'failed job', 'failed jobs');
  return (
    <ConfirmDialog
      word={narrowed ? `Retry ${countOf(matching, 'job', 'jobs')}` : 'Retry all failed'}
      question={`Retry ${many}${which}?`}
      // The dialog names resent jobs, so it is the confirmation of §3.3.
      fields={{ intent: 'retry', ...fields, resent: 'again' }}
      controls={<SpreadField />}
      variant="default"
    >
      {sayResent(resent)}
      {resent.count > 0 ? ` Retry sends ${isOne(resent) ? 'it' : 'them'} once more.` : ''} Each
      becomes a new job, attempt 1. It is due now, or later if you set a rate. The failed jobs are
      kept, marked as resent. Each run counts to the monthly limit.
    </ConfirmDialog>
  );
}

/** `12 of them were resent.` */
function sayResent(resent: BoundedCount): string {
  if (resent.count === 0) return 'None of them was resent.';
  return `${formatAmount(resent)} of them ${isOne(resent) ? 'was' : 'were'} resent.`;
}

function sayWhich({ narrowed, matching }: Pick<Shown, 'narrowed' | 'matching'>): string {
  return narrowed ? ` that ${isOne(matching) ? 'matches' : 'match'} the search` : '';
}

const emptyTabs: Readonly<Record<JobTab, { title: string; text: string }>> = {
  all: {
    title: 'No jobs yet',
    text: 'A job is one HTTP request, sent now or up to 24 hours later, and retried by the rules of its queue.',
  },
  pending: {
    title: 'Nothing is pending',
    text: 'Jobs that wait for their time or for a free slot are listed here, the next due first. You can fire them early or delete them.',
  },
  processing: {
    title: 'Nothing is being sent',
    text: 'Attempts are listed here while their request is running.',
  },
  retrying: {
    title: 'Nothing waits for a retry',
    text: 'After a failed attempt the next one waits here for the delay of the queue’s retry schedule.',
  },
  completed: {
    title: 'Nothing is completed yet',
    text: 'Jobs whose target answered with success are listed here.',
  },
  failed: {
    title: 'No failed jobs',
    text: 'Jobs whose last attempt failed are listed here until their queue’s dead letter retention ends. You can retry or delete them. Jobs that were resent are listed under “Resent”.',
  },
};

function Nothing({ tab, narrowed, page, toCome }: Shown) {
  if (toCome.length > 0) return null;
  if (page.next !== null)
    return <EmptyState title="No job found so far">The search continues below.</EmptyState>;
  if (narrowed)
    return (
      <EmptyState title="No job matches">
        The search box looks at ids, URLs, names of queues, payloads, responses and errors of the
        jobs on this tab. Clear the search to see the others.
      </EmptyState>
    );
  const { title, text } = emptyTabs[tab];
  const first = {
    example: 'POST /api/jobs   {"queue": "default", "url": "https://…", "delay": 60}',
    action: <ButtonLink to="/jobs/new">Create job</ButtonLink>,
  };
  return (
    <EmptyState title={title} {...(tab === 'all' && first)}>
      {text}
    </EmptyState>
  );
}
