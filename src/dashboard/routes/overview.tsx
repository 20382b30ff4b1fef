import { data } from 'react-router';
import { redirectWithCookies } from '../context.ts';
import { isMailedKind } from '#domain/alerts/notification-channel';
import { may } from '#people/roles';
import { MaintenanceNotice } from '../alerts/MaintenanceNotice.tsx';
import { readMutedNow, shortenWindow } from '../alerts/muted-now.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { pauseIntents, readUntil, UntilField } from '../page/PauseUntil.tsx';
import { useShell } from '../page/shell.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { FirstSteps, type StepsDone } from '../runs/FirstSteps.tsx';
import {
  Figures,
  JustHappened,
  NeedsAttention,
  NextUp,
  OutcomePlots,
} from '../runs/OverviewPanels.tsx';
import { hasRuns } from '../runs/run-links.ts';
import type { ChannelView } from '../services.ts';
import { firstSteps as stepsCookie } from '../serving/cookies.ts';
import { open } from '../serving/open.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/overview.ts';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { team, people, work, echoUrl, now } = open(context);
  const [counts, usage, channel, overview, muted] = await Promise.all([
    work.readCounts(team.id),
    people.billing.readUsage(team.id),
    work.readChannel(team.id),
    work.readOverview(team.id),
    readMutedNow(work, team.id),
  ]);
  const done: StepsDone = {
    job: overview.lastMonth.some(({ success }) => success > 0),
    cron: counts.crons.active + counts.crons.paused > 0,
    alerts: notifiesSomebody(channel, people.accounts.sendsMail()),
  };
  const isAllDone = done.job && done.cron && done.alerts;
  const isShown = may(team.role, 'work') && !isAllDone && stepsCookie.read(request) === 'shown';
  return {
    counts,
    usage,
    overview,
    muted: { team: muted.team, chosen: muted.chosen.map(shortenWindow) },
    firstSteps: isShown ? { done, echoUrl, channel: channel.kind } : null,
    asOf: now,
  };
}

function notifiesSomebody(channel: ChannelView, sendsMail: boolean): boolean {
  if (!isMailedKind(channel.kind)) return true;
  if (!sendsMail) return false;
  return channel.kind === 'email' || channel.addresses.some(({ state }) => state === 'confirmed');
}

export async function action({ context }: Route.ActionArgs) {
  const { team, user, work, form, now, baseUrl, echoUrl, intent, say } = open(context);
  if (intent === 'hide-steps') {
    return redirectWithCookies('/', [stepsCookie.write('hidden', baseUrl)]);
  }
  if (intent === pauseIntents.pause) {
    const until = readUntil({ form, now, say }, '/');
    const text = (await work.pauseTeam(team.id, user.name, until))
      ? 'Everything is paused. New jobs are accepted and wait.'
      : 'Everything was paused already.';
    return say('/', text);
  }
  if (intent === pauseIntents.resume) {
    const text = (await work.resumeTeam(team.id))
      ? 'Everything continues. Due jobs start now.'
      : 'Everything was resumed already.';
    return say(readNext(form.get('next')), text);
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

export default function Overview({ loaderData }: Route.ComponentProps) {
  const { counts, overview, muted, firstSteps } = loaderData;
  const { pause = null } = useShell() ?? {};
  const hasSources = [counts.crons, counts.queues].some((each) => each.active + each.paused > 0);
  // The open first step is the only primary action.
  const isFirst = firstSteps?.done.job === false;
  return (
    <>
      <PageHeader
        title="Overview"
        every={10}
        action={
          <ButtonLink to="/jobs/new" variant={isFirst ? 'default' : 'filled'}>
            Create job
          </ButtonLink>
        }
        menu={
          pause !== null || !hasSources ? null : (
            <MoreActions of="the team">
              <ConfirmDialog
                word="Pause everything"
                question="Pause everything of this team?"
                fields={{ intent: pauseIntents.pause }}
                controls={<UntilField />}
              >
                No cron runs on schedule and no job is sent until the team is resumed. Running
                requests finish, and the API accepts new jobs, which wait.
              </ConfirmDialog>
            </MoreActions>
          )
        }
      />
      <div className="stack">
        <MaintenanceNotice windows={muted.team} of="the team" />
        <MaintenanceNotice windows={muted.chosen} of="chosen crons and queues" />
        {firstSteps ? <FirstSteps {...firstSteps} /> : null}
        <NeedsAttention {...overview} asOf={loaderData.asOf} />
        <Figures {...loaderData} />
        {overview.lastMonth.some(hasRuns) ? <OutcomePlots overview={overview} /> : null}
        <div className="columns">
          <NextUp overview={overview} />
          <JustHappened overview={overview} />
        </div>
      </div>
    </>
  );
}
