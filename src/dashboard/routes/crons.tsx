import { data, Link } from 'react-router';
import { ActionButton } from '../forms/Form.tsx';
import { readText } from '../forms/values.ts';
import {
  actionsColumn,
  type BulkActions,
  type Column,
  numberColumn,
  timeColumn,
} from '../lists/DataTable.tsx';
import { useAnswer } from '../page/shell.ts';
import { Submit } from '../parts/Button.tsx';
import { Notice } from '../parts/Notice.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Status } from '../parts/Status.tsx';
import { Tags } from '../parts/Tags.tsx';
import { Time } from '../parts/Time.tsx';
import { RecentResults } from '../plots/RecentResults.tsx';
import classes from './crons.module.css';
import { describeStop, HealthWord, StartCron } from '../runs/HealthWord.tsx';
import {
  readSourceList,
  readSourceSearch,
  SourceList,
  type SourceRow,
  useSourceForm,
} from '../runs/SourceList.tsx';
import type {
  BoundedCount,
  CronAct,
  CronListRow,
  CronsActed,
  CronsChosen,
  SourceSearch,
} from '../services.ts';
import { open } from '../serving/open.ts';
import { countOf, formatRate } from '../words/amounts.ts';
import { describeExpression } from '../words/schedule-words.ts';
import type { Route } from './+types/crons.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  return readSourceList({ work, teamId: team.id, url }, 'cron', work.listCronRows);
}

/** Acts on several; the page of each acts on one. */
export async function action({ context, url }: Route.ActionArgs) {
  const { team, form, work, say } = open(context);
  const act = readCronAct(form);
  if (act === null) throw data(null, { status: 400 });
  const { search } = readSourceSearch(url.searchParams);
  const chosen = readChosen(form, search);
  if (chosen === null) {
    const toast = { kind: 'failed', text: 'Tick some crons first. Nothing was changed.' } as const;
    return say(`/crons${url.search}`, toast);
  }
  return { act, acted: await work.actOnCrons(team.id, act, chosen) };
}

export default function Crons({ loaderData, actionData }: Route.ComponentProps) {
  const answer = useAnswer(actionData);
  const { rows, next, previous } = loaderData;
  return (
    <SourceList
      of="crons"
      every={10}
      list={loaderData}
      columns={columns}
      search={{ placeholder: 'Name, URL or id', searches: 'names, URLs and ids' }}
      none={{
        example: '0 6 * * MON-FRI   at 06:00 UTC, Monday through Friday',
        text: 'A cron calls a URL on a schedule, keeps the result of each run and can notify you when runs fail.',
      }}
      bulk={cronBulk({ count: rows.length, isMore: next !== null || previous !== null })}
      notice={answer ? <CronsActedNotice {...answer} /> : null}
    />
  );
}

const columns: Column<SourceRow<CronListRow>>[] = [
  {
    head: 'Health',
    width: '132px',
    cell: (row) => <HealthWord of={row} {...describeStop(row.cron)} />,
  },
  {
    head: 'Name',
    cell: ({ cron }) => (
      <span className={classes.name}>
        <span className="row together">
          <Link className="cut" to={`/crons/${cron.id}`} title={cron.name}>
            {cron.name}
          </Link>
          <Tags tags={cron.tags} of="crons" most={2} />
        </span>
        <span className="muted">
          <RequestLine method={cron.method} url={cron.url} />
        </span>
      </span>
    ),
  },
  {
    head: 'Schedule',
    isPlain: true,
    isCutOnPhone: true,
    hiddenBelow: 600,
    width: '210px',
    givesWay: 3,
    cell: ({ cron: { cronExpression } }) => (
      <span title={cronExpression} className="whole">
        {describeExpression(cronExpression)}
      </span>
    ),
  },
  timeColumn('Next run', ({ cron }) => cron.nextRunAt, { givesWay: 5 }),
  {
    head: 'Last run',
    isPlain: true,
    isTime: true,
    width: '172px',
    givesWay: 2,
    cell: (row) => <LastRun row={row} />,
  },
  {
    head: 'Last 50 runs',
    width: '164px',
    givesWay: 4,
    hiddenBelow: 900,
    cell: ({ recentResults }) => <RecentResults results={recentResults} />,
  },
  numberColumn('Success', '84px', ({ successRate }) => formatRate(successRate), {
    givesWay: 1,
    hiddenBelow: 900,
  }),
  actionsColumn('104px', ({ cron }) => <RowActions {...cron} />, 600),
];

function LastRun({ row: { lastRun } }: { row: CronListRow }) {
  if (lastRun === null) return <span className="muted">never run</span>;
  if (lastRun.status === 'running') return <Status name="running" />;
  return (
    <Link className="inline" to={`/executions/${lastRun.id}`}>
      <Status name={lastRun.status} {...(lastRun.status === 'success' ? { word: 'OK' } : {})} />
      <Time at={lastRun.completedAt} />
    </Link>
  );
}

function RowActions({ id, name, isActive, stoppedAfter }: CronListRow['cron']) {
  const toPage = useSourceForm(`/crons/${id}`);
  const isStopped = stoppedAfter !== null;
  return (
    <span className="row end">
      {isStopped ? <StartCron id={id} /> : null}
      <MoreActions of={name} isSmall>
        {isStopped ? null : (
          <ActionButton {...toPage} intent={isActive ? 'pause' : 'start'} variant="quiet">
            {isActive ? 'Pause' : 'Start'}
          </ActionButton>
        )}
        <ActionButton {...toPage} intent="run" variant="quiet">
          Run now
        </ActionButton>
      </MoreActions>
    </span>
  );
}

function cronBulk(matching: BoundedCount): BulkActions {
  return {
    matching,
    buttons: ({ text }) => (
      <>
        <Submit intent="all-pause">{`Pause (${text})`}</Submit>
        <span className="row together">
          <Submit intent="all-start">{`Start (${text})`}</Submit>
          <MoreActions of="selected crons">
            <button type="submit" form="bulk" name="intent" value="all-run">
              Run now
            </button>
            <ConfirmDialog
              word="Delete"
              question={`Delete the crons that are chosen (${text})?`}
              fields={{ intent: 'all-delete' }}
              form="bulk"
            >
              They never run again, and their history is deleted too. This can’t be undone. To stop
              them for a while, pause them.
            </ConfirmDialog>
          </MoreActions>
        </span>
      </>
    ),
  };
}

const MOST_NAMED = 20;

/** Stays until it is dismissed. */
function CronsActedNotice({ act, acted }: { act: CronAct; acted: CronsActed }) {
  const { done, hasMore, unchanged } = acted;
  const title =
    done.length === 0 ? 'No cron was changed.' : `${countOf(done.length, ...words[act])}.`;
  const more = hasMore ? ' More crons match. Repeat the action for the rest.' : '';
  const isAll = unchanged.length === 0;
  return (
    <Notice kind={isAll ? 'done' : 'note'} title={title + more} canDismiss>
      {isAll ? null : (
        <>
          {countOf(unchanged.length, 'cron was', 'crons were')} skipped:
          <ul>
            {unchanged.slice(0, MOST_NAMED).map(({ id, name, why }) => (
              <li key={id}>
                <Link to={`/crons/${id}`}>{name}</Link>: {why}
              </li>
            ))}
            {unchanged.length > MOST_NAMED ? <li>{unchanged.length - MOST_NAMED} more</li> : null}
          </ul>
        </>
      )}
    </Notice>
  );
}

/** Null for an unknown intent. */
function readCronAct(form: FormData): CronAct | null {
  const acts = Object.keys(words) as CronAct[];
  return acts.find((act) => readText(form, 'intent') === `all-${act}`) ?? null;
}

/** Null if the filter is invalid or nothing is ticked. */
function readChosen(form: FormData, search: SourceSearch | null): CronsChosen | null {
  if (form.get('all') === '1') return search && { search };
  const ids = form.getAll('id').filter((id) => typeof id === 'string');
  return ids.length === 0 ? null : { ids };
}

const words: Readonly<Record<CronAct, readonly [one: string, many: string]>> = {
  start: ['cron is started', 'crons are started'],
  pause: ['cron is paused', 'crons are paused'],
  run: [
    'cron runs now, in addition to its schedule',
    'crons run now, in addition to their schedules',
  ],
  delete: ['cron is deleted', 'crons are deleted'],
};
