import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useRouteLoaderData } from 'react-router';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { readMutedNow } from '../alerts/mutedNow.ts';
import { requestFacts, services, signedIn } from '../context.ts';
import { formatAmount, capped } from '../parts/amounts.ts';
import { useLiveRefresh } from '../parts/LiveRefresh.tsx';
import { Glyph, type GlyphName } from '../parts/Glyph.tsx';
import { PageHeader } from '../parts/PageHeader.tsx';
import { FailingNow, JustHappened, NextUp, OutcomePlots } from '../runs/OverviewPanels.tsx';
import { UsageBar } from '../parts/UsageBar.tsx';
import { projectRunOut } from '../parts/usageForecast.ts';
import type { Counts, Pulse } from '../services.ts';
import classes from './overview.module.css';
import type { Route } from './+types/overview.ts';
import type { loader as frameLoader } from './frame.tsx';

export async function loader({ context }: Route.LoaderArgs) {
  const { team, user } = context.get(signedIn);
  const { people, work } = context.get(services);
  const { now } = context.get(requestFacts);
  const [counts, usage, token, overview, muted] = await Promise.all([
    work.readCounts(team.id),
    people.billing.readUsage(team.id),
    people.tokens.readApiToken(user.id),
    work.readOverview(team.id),
    readMutedNow(work, team.id),
  ]);
  return {
    counts,
    usage,
    hasToken: token !== null,
    overview,
    muted,
    forecast: projectRunOut(usage, now),
    teamName: team.name,
  };
}

type Need = { tone: 'red' | 'plain'; glyph: GlyphName; text: string; to: string; word: string };

/** What wants a hand, the worst first; then what a new team has not done yet. */
function listNeeds(facts: { pulse: Pulse; counts: Counts; hasToken: boolean }): Need[] {
  const { pulse, counts, hasToken } = facts;
  const needs: Need[] = [];
  const add = (isNeeded: boolean, need: Need) => void (isNeeded && needs.push(need));
  const many = (count: number, one: string, more: string) =>
    `${formatAmount(capped(count))} ${count === 1 ? one : more}`;
  add(pulse.failingCrons > 0, {
    tone: 'red',
    glyph: 'failed',
    text: `${many(pulse.failingCrons, 'cron', 'crons')} failed in the last run`,
    to: '/crons?status=failed',
    word: 'See which',
  });
  add(pulse.failedJobs > 0, {
    tone: 'red',
    glyph: 'failed',
    text: `${many(pulse.failedJobs, 'job', 'jobs')} failed for good`,
    to: '/failures',
    word: 'Retry or delete',
  });
  add(pulse.unreadAlerts > 0, {
    tone: 'plain',
    glyph: 'alerts',
    text: `${many(pulse.unreadAlerts, 'alert is', 'alerts are')} unread`,
    to: '/alerts',
    word: 'Read',
  });
  add(!hasToken, {
    tone: 'plain',
    glyph: 'right',
    text: 'You have no API token yet. With one, a first job takes a single command.',
    to: '/settings/api-token',
    word: 'Get a token',
  });
  add(counts.crons.active + counts.crons.paused === 0, {
    tone: 'plain',
    glyph: 'right',
    text: 'There are no crons yet. A cron calls a URL on a schedule.',
    to: '/crons/new',
    word: 'Create cron',
  });
  return needs;
}

export default function Overview({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(10);
  const { counts, usage, hasToken, overview, muted, forecast, teamName } = loaderData;
  // The frame has counted what wants a hand: a step of the index a cron.
  const frame = useRouteLoaderData<typeof frameLoader>('routes/frame');
  return (
    <>
      <PageHeader
        title="Overview"
        note={teamName}
        action={
          <Button component={Link} to="/jobs/new">
            Create job
          </Button>
        }
      />
      <div className="stack">
        <MaintenanceNotice windows={muted.team} of="the team" />
        <MaintenanceNotice windows={muted.chosen} of="chosen crons and queues" />
        {frame?.pulse ? (
          <Needs needs={listNeeds({ pulse: frame.pulse, counts, hasToken })} />
        ) : null}
        <FailingNow overview={overview} />
        <div className={classes.columns}>
          <NextUp overview={overview} />
          <JustHappened overview={overview} />
        </div>
        <OutcomePlots overview={overview} />
        <div className={classes.tiles}>
          <Tile title="Jobs" to="/jobs">
            <Figure count={counts.jobs.processing} word="processing" />
            <Figure count={counts.jobs.pending} word="pending" />
            <Figure count={counts.jobs.retrying} word="retrying" />
          </Tile>
          <Tile title="Crons" to="/crons">
            <Figure count={counts.crons.active} word="active" />
            <Figure count={counts.crons.paused} word="paused" />
          </Tile>
          <Tile title="Queues" to="/queues">
            <Figure count={counts.queues.active} word="active" />
            <Figure count={counts.queues.paused} word="paused" />
          </Tile>
          <section className="panel">
            <header>
              <h2>Usage this month</h2>
            </header>
            <div className="body">
              <UsageBar used={usage.used} limit={usage.limit} label="Runs of this month" />
              {forecast ? <p className="muted">{forecast}</p> : null}
            </div>
          </section>
        </div>
      </div>
    </>
  );
}

function Needs({ needs }: { needs: readonly Need[] }) {
  return (
    <section className="panel" data-live>
      <header>
        <h2>What needs a hand</h2>
      </header>
      {needs.length === 0 ? (
        <p className={classes.calm}>
          <Glyph name="check" size={14} /> Nothing. The last run of every cron succeeded, and no job
          failed for good.
        </p>
      ) : (
        <ul className={classes.needs}>
          {needs.map(({ tone, glyph, text, to, word }) => (
            <li key={text} data-tone={tone}>
              <Glyph name={glyph} size={13} />
              <span>{text}</span>
              <Link to={to}>{word}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Tile({ title, to, children }: { title: string; to: string; children: ReactNode }) {
  return (
    <section className="panel" data-live>
      <header>
        <h2>
          <Link to={to}>{title}</Link>
        </h2>
      </header>
      <dl className={classes.figures}>{children}</dl>
    </section>
  );
}

function Figure({ count, word }: { count: number; word: string }) {
  return (
    <div>
      <dd className="num">{formatAmount(capped(count))}</dd>
      <dt>{word}</dt>
    </div>
  );
}
