import { Button } from '@mantine/core';
import { data, Link, useLocation } from 'react-router';
import { requestFacts, services, signedIn } from '../context.ts';
import { redirectWithToast } from '../cookies.ts';
import { describeBounded, formatBounded } from '../parts/amounts.ts';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { useLiveRefresh } from '../parts/LiveRefresh.tsx';
import { PageHeader } from '../parts/PageHeader.tsx';
import { Pagination } from '../parts/Pagination.tsx';
import { readCursor } from '../parts/readCursor.ts';
import { TabLinks } from '../parts/TabLinks.tsx';
import { formatUtc } from '../parts/Time.tsx';
import { isRecent } from '../runs/bulkProgress.ts';
import { BulkTasks } from '../runs/BulkTasks.tsx';
import { actOnJobs, readKind } from '../runs/jobActions.ts';
import { JobFilters } from '../runs/JobFilters.tsx';
import { filterNames, isNarrowed, jobTabs, readJobSearch } from '../runs/jobSearch.ts';
import { JobTable } from '../runs/JobTable.tsx';
import type { BoundedCount, JobTab } from '../services.ts';
import type { Route } from './+types/jobs.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const { now } = context.get(requestFacts);
  const params = url.searchParams;
  const search = readJobSearch(params);
  const narrowed = isNarrowed(params);
  const [page, counts, queues, tasks, matching] = await Promise.all([
    work.searchJobs(team.id, search, readCursor(url)),
    work.countTabs(team.id, search.queueId),
    work.listQueues(team.id),
    work.listBulkTasks(team.id),
    narrowed && actsOn(search.tab) ? work.countJobs(team.id, search) : null,
  ]);
  return {
    page,
    tab: search.tab,
    narrowed,
    counts,
    queues: queues.map(({ id, name }) => ({ id, name })),
    tasks: tasks.filter((task) => isRecent(task, now)),
    matching: matching ?? counts[search.tab],
  };
}

/** Only what waits can be fired or deleted, and only what failed retried. */
function actsOn(tab: JobTab): boolean {
  return tab === 'pending' || tab === 'retrying' || tab === 'failed';
}

export async function action({ request, context, url }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const form = await request.formData();
  const { pathname, search, searchParams } = url;
  const kind = readKind(form);
  if (kind === null) throw data(null, { status: 400 });
  return redirectWithToast(
    `${pathname}${search}`,
    await actOnJobs(work, team.id, { kind, form, search: readJobSearch(searchParams) }),
    context.get(requestFacts).baseUrl,
  );
}

export default function Jobs({ loaderData }: Route.ComponentProps) {
  const { page, tab, narrowed, counts, queues, tasks, matching } = loaderData;
  useLiveRefresh(5);
  const { search } = useLocation();
  const params = new URLSearchParams(search);
  return (
    <>
      <PageHeader
        title="Jobs"
        more={<ForAll tab={tab} narrowed={narrowed} matching={matching} />}
        action={
          <Button component={Link} to="/jobs/new">
            Create job
          </Button>
        }
      />
      <BulkTasks tasks={tasks} />
      <TabLinks
        label="Jobs by state"
        tabs={jobTabs.map((each) => ({
          name: each.name,
          to: tabAddress(params, each.tab),
          isCurrent: each.tab === tab,
          count: formatBounded(counts[each.tab]),
        }))}
      />
      <JobFilters queues={queues} tab={tab} params={params} narrowed={narrowed} />
      {page.jobs.length === 0 ? (
        <Nothing tab={tab} narrowed={narrowed} isAtEnd={page.next === null} />
      ) : (
        <JobTable jobs={page.jobs} tab={tab} matching={matching} />
      )}
      <Pagination
        older={page.next}
        newer={page.previous}
        {...(tab === 'pending' || tab === 'retrying' ? { words: byDue } : {})}
        {...(page.searchedBackTo === null
          ? {}
          : {
              note: `Searched ${tab === 'pending' || tab === 'retrying' ? 'up' : 'back'} to ${formatUtc(page.searchedBackTo)}; “${byDueOrTime(tab)}” goes on from there.`,
            })}
      />
    </>
  );
}

const byDue = { older: 'Later', newer: 'Earlier', newest: 'Next due' };

function byDueOrTime(tab: JobTab): string {
  return tab === 'pending' || tab === 'retrying' ? byDue.older : 'Older';
}

/** Another tab keeps the filters. */
function tabAddress(params: URLSearchParams, tab: JobTab): string {
  const kept = new URLSearchParams({ tab });
  for (const name of filterNames) {
    const value = params.get(name);
    if (value) kept.set(name, value);
  }
  return `?${kept.toString()}`;
}

/** What can be done to everything that the tab and the filters show. */
function ForAll({
  tab,
  narrowed,
  matching,
}: {
  tab: JobTab;
  narrowed: boolean;
  matching: BoundedCount;
}) {
  if (matching.count === 0) return null;
  const which = narrowed ? ' that match the search' : '';
  if (tab === 'pending') {
    const many = describeBounded(matching, 'pending job', 'pending jobs');
    return (
      <ConfirmDialog
        word="Fire all pending"
        question={`Fire ${many}${which}?`}
        fields={{ intent: 'fire', all: '1' }}
        variant="default"
      >
        They are due at once instead of at their time. A paused queue still holds its jobs.
      </ConfirmDialog>
    );
  }
  if (tab !== 'failed') return null;
  const many = describeBounded(matching, 'failed job', 'failed jobs');
  return (
    <>
      <ConfirmDialog
        word="Delete all failed"
        question={`Delete ${many}${which}?`}
        fields={{ intent: 'delete', all: '1' }}
      >
        Their records and responses go with them. This can’t be undone.
      </ConfirmDialog>
      <ConfirmDialog
        word="Retry all failed"
        question={`Retry ${many}${which}?`}
        fields={{ intent: 'retry', all: '1' }}
        variant="default"
      >
        Each becomes a new job, attempt 1, that runs now. The failed ones stay as they are. Each run
        counts to the monthly limit.
      </ConfirmDialog>
    </>
  );
}

const emptyTabs: Readonly<Record<JobTab, { title: string; text: string }>> = {
  all: {
    title: 'No jobs yet',
    text: 'A job is one HTTP request, sent now or up to 24 hours later, and retried by the rules of its queue.',
  },
  pending: {
    title: 'Nothing is pending',
    text: 'Jobs that wait for their time or for a free slot stand here, the next due first. They can be fired early or deleted.',
  },
  processing: {
    title: 'Nothing is being sent',
    text: 'Attempts stand here while their request is under way.',
  },
  retrying: {
    title: 'Nothing waits for a retry',
    text: 'After a failed attempt the next one waits here, as long as the queue’s retry schedule says.',
  },
  completed: {
    title: 'Nothing is completed yet',
    text: 'Jobs whose target answered with success stand here.',
  },
  failed: {
    title: 'Nothing failed for good',
    text: 'Jobs whose last attempt failed stand here, to be retried or deleted, until their queue’s dead letter retention ends.',
  },
};

function Nothing({ tab, narrowed, isAtEnd }: { tab: JobTab; narrowed: boolean; isAtEnd: boolean }) {
  if (!isAtEnd)
    return <EmptyState title="No job found so far">The search goes on below.</EmptyState>;
  if (narrowed)
    return <EmptyState title="No job matches">Clear the search to see the others.</EmptyState>;
  const { title, text } = emptyTabs[tab];
  if (tab !== 'all') return <EmptyState title={title}>{text}</EmptyState>;
  return (
    <EmptyState
      title={title}
      example={'POST /api/jobs   {"queue": "default", "url": "https://…", "delay": 60}'}
      action={
        <Button component={Link} to="/jobs/new">
          Create job
        </Button>
      }
    >
      {text}
    </EmptyState>
  );
}
