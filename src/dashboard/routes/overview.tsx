import { useShell } from '../page/shell.ts';
import { open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import type { ReactNode } from 'react';
import { data, Link, redirect } from 'react-router';
import { may } from '#people/roles';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { readMutedNow } from '../alerts/muted-now.ts';
import { hideSteps, readHiddenSteps } from '../serving/cookies.ts';
import { capped, countOf, formatAmount } from '../words/amounts.ts';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { Glyph, type GlyphName } from '../parts/Glyph.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { PauseEverything, pauseIntents, useTeamPause } from '../page/TeamPause.tsx';
import { MoreActions } from '../parts/Popover.tsx';
import { FirstSteps, type StepsDone } from '../runs/FirstSteps.tsx';
import { ByTag } from '../runs/ByTag.tsx';
import { Figures } from '../runs/Figures.tsx';
import {
  FailingNow,
  hasRuns,
  JustHappened,
  NextUp,
  OutcomePlots,
} from '../runs/OverviewPanels.tsx';
import { UsageBar } from '../plots/UsageBar.tsx';
import { describeForecast } from '../words/times.ts';
import type { Counts, Attention, Usage } from '../services.ts';
import classes from './overview.module.css';
import type { Route } from './+types/overview.ts';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { team, people, work, targets } = open(context);
  const [counts, usage, channel, overview, muted, tags] = await Promise.all([
    work.readCounts(team.id),
    people.billing.readUsage(team.id),
    work.readChannel(team.id),
    work.readOverview(team.id),
    readMutedNow(work, team.id),
    work.readTagCounts(team.id),
  ]);
  const done: StepsDone = {
    job: overview.lastMonth.some(({ success }) => success > 0),
    cron: counts.crons.active + counts.crons.paused > 0,
    alerts: channel.kind !== 'email' || people.accounts.sendsMail(),
  };
  const isAllDone = done.job && done.cron && done.alerts;
  const isShown =
    may(team.role, 'work') && !isAllDone && !readHiddenSteps(request).includes(team.id);
  return {
    counts,
    usage,
    overview,
    muted,
    tags,
    firstSteps: isShown ? { done, echoUrl: targets.echoUrl, channel: channel.kind } : null,
    mayChooseChannel: may(team.role, 'notifications'),
    forecast: describeForecast(await work.readForecast(team.id, usage)),
    teamName: team.name,
  };
}

/** Answers the buttons of the first steps, and the switch over everything. */
export async function action({ request, context }: Route.ActionArgs) {
  const { team, user, work, baseUrl, targets, intent, say } = open(context);
  const { echoUrl } = targets;
  if (intent === 'hide-steps') {
    const cookie = hideSteps(readHiddenSteps(request), team.id, baseUrl);
    return redirect('/', { headers: { 'Set-Cookie': cookie } });
  }
  if (intent === pauseIntents.pause) {
    const text = (await work.pauseTeam(team.id, user.name))
      ? 'Everything is paused. New jobs are accepted and wait.'
      : 'Everything was paused already.';
    return say('/', text);
  }
  if (intent === pauseIntents.resume) {
    const text = (await work.resumeTeam(team.id))
      ? 'Everything continues. Due jobs start now.'
      : 'It was not paused any more.';
    return say('/', text);
  }
  if (intent !== 'sample-job' || echoUrl === null) throw data(null, { status: 400 });
  const { jobId } = await work.createJob(team.id, { ...sample, url: echoUrl });
  return say(`/jobs/${jobId}`, 'The job is created.');
}

const sample = {
  queue: 'first',
  method: 'POST',
  headers: [],
  payloadJson: '{"hello":"world"}',
  callbackUrl: null,
  delaySeconds: 0,
} as const;

type Need = { tone: 'red' | 'plain'; glyph: GlyphName; text: string; to: string; word: string };

/** The items that need attention, the worst first. */
function listNeeds(attention: Attention): Need[] {
  const needs: Need[] = [];
  const add = (isNeeded: boolean, need: Need) => void (isNeeded && needs.push(need));
  const many = (count: number, one: string, more: string) => countOf(capped(count), one, more);
  add(attention.failingCrons > 0, {
    tone: 'red',
    glyph: 'failed',
    text: `${many(attention.failingCrons, 'cron', 'crons')} failed in the last run`,
    to: '/crons?status=failed',
    word: 'See which',
  });
  add(attention.failedJobs > 0, {
    tone: 'red',
    glyph: 'failed',
    text: `${many(attention.failedJobs, 'job', 'jobs')} failed for good`,
    to: '/failures',
    word: 'Retry or delete',
  });
  add(attention.unreadAlerts > 0, {
    tone: 'plain',
    glyph: 'alerts',
    text: `${many(attention.unreadAlerts, 'alert is', 'alerts are')} unread`,
    to: '/alerts',
    word: 'Read',
  });
  return needs;
}

export default function Overview({ loaderData }: Route.ComponentProps) {
  const { counts, overview, muted, tags, teamName, firstSteps } = loaderData;
  useLiveRefresh(10);
  const isPaused = useTeamPause() !== null;
  const hasSources = [counts.crons, counts.queues].some((each) => each.active + each.paused > 0);
  // The page's only primary action is the first step, while it is open.
  const isFirst = firstSteps?.done.job === false;
  // The shell has already counted this. Counting failing crons costs an index lookup for each.
  const shell = useShell();
  const needs = shell?.attention ? listNeeds(shell.attention) : null;
  return (
    <>
      <PageHeader
        title="Overview"
        note={teamName}
        action={
          <ButtonLink to="/jobs/new" variant={isFirst ? 'default' : 'filled'}>
            Create job
          </ButtonLink>
        }
        menu={
          isPaused || !hasSources ? null : (
            <MoreActions of="the team">
              <PauseEverything />
            </MoreActions>
          )
        }
      />
      <div className="stack">
        <MaintenanceNotice windows={muted.team} of="the team" />
        <MaintenanceNotice windows={muted.chosen} of="chosen crons and queues" />
        <Figures figures={overview.figures} />
        {firstSteps ? (
          <FirstSteps {...firstSteps} mayChooseChannel={loaderData.mayChooseChannel} />
        ) : null}
        {needs === null || (firstSteps && needs.length === 0) ? null : <Needs needs={needs} />}
        <FailingNow overview={overview} />
        <ByTag tags={tags} />
        <div className={classes.columns}>
          <NextUp overview={overview} />
          <JustHappened overview={overview} />
        </div>
        {overview.lastMonth.some(hasRuns) ? <OutcomePlots overview={overview} /> : null}
        <Tiles {...loaderData} />
      </div>
    </>
  );
}

type TilesProps = { counts: Counts; usage: Usage; forecast: string | null };

function Tiles({ counts, usage, forecast }: TilesProps) {
  return (
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
  );
}

function Needs({ needs }: { needs: readonly Need[] }) {
  return (
    <section className="panel">
      <header>
        <h2>Needs attention</h2>
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
    <section className="panel">
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
