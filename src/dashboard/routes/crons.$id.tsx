import { data } from 'react-router';
import { ALERT_LEVELS } from '#domain/alerts/alert-settings';
import { failedInARow } from '#domain/alerts/alert-words';
import { describeUntil } from '#domain/team/pause';
import { formatUtcMinute } from '#domain/base/instant';
import { FilterReader } from '#domain/runs/read-filters';
import { ActionButton } from '../forms/Form.tsx';
import { readCursor } from '../lists/cut-page.ts';
import { PauseUntil, readUntil } from '../page/PauseUntil.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { UnreadableNotice } from '../parts/Notice.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { DurationPlot } from '../runs/DurationPlot.tsx';
import { describeStop, HealthWord } from '../runs/HealthWord.tsx';
import { History } from '../runs/History.tsx';
import { describeItsEnd, PlannedRuns } from '../runs/PlannedRuns.tsx';
import { RangePanel } from '../runs/RangePanel.tsx';
import { findRange, ranges } from '../runs/ranges.ts';
import { readSourceFacts, SourcePage } from '../runs/SourcePage.tsx';
import { SourceSettings } from '../runs/SourceSettings.tsx';
import { notFound, notHere, open } from '../serving/open.ts';
import type { MaintenanceWindowView } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import type { Route } from './+types/crons.$id.ts';

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const { team, work, now } = open(context);
  const filters = new FilterReader(url.searchParams);
  const status = filters.choice('status', ['success', 'failed']);
  const names = ranges.map(({ name }) => name);
  const range = findRange(filters.choice('range', names));
  const { faults } = filters.finish({});
  const shown = { ...readCursor(url), ...(status && { status }) };
  const period = { from: now - range.ms, to: now, steps: range.steps };
  const [row, cron, history, durations, deletion] = await Promise.all([
    work.readCronRow(team.id, id),
    work.findCron(team.id, id),
    work.listCronHistory(team.id, id, shown),
    work.readDurations(team.id, id, period),
    work.describeCronDeletion(team.id, id),
  ]);
  if (!row || !cron || !durations || !deletion)
    return notHere(context, (teamId) => work.findCron(teamId, id));
  const source = { kind: 'cron' as const, ...cron, streak: row.streak };
  const facts = await readSourceFacts(work, team.id, source, ALERT_LEVELS);
  const { payload, unreadable } = cron;
  const headers = cron.headers.map(([name]) => name);
  const plots = { durations, range, faults, history, status: status ?? null };
  return { ...plots, row, facts, headers, payload, unreadable, deletion };
}

export async function action({ params: { id }, context }: Route.ActionArgs) {
  const { team, work, form, now, intent, say } = open(context);
  const here = `/crons/${id}`;
  switch (intent) {
    case 'run': {
      const run = (await work.runCronNow(team.id, id)) ?? notFound();
      return say(here, {
        kind: 'done',
        text: 'One run has started, in addition to the schedule.',
        href: `/executions/${run.id}`,
        linkText: 'See the run',
      });
    }
    case 'start':
      if (!(await work.startCron(team.id, id))) notFound();
      return say(here, 'The cron runs on schedule again.');
    case 'pause': {
      const until = readUntil({ form, now, say }, here);
      if (!(await work.pauseCron(team.id, id, until))) notFound();
      return say(
        here,
        until === null
          ? 'The cron is paused: it does not run until you start it.'
          : `The cron is paused ${describeUntil(until)}.`,
      );
    }
    case 'unmute': {
      const change = await work.unmuteCron(team.id, id);
      if (change.kind === 'not-found') notFound();
      if (change.kind !== 'done')
        return say(here, { kind: 'failed', text: `Nothing was changed: ${change.why}.` });
      return say(here, 'The cron is unmuted. If it still fails, its channels are notified now.');
    }
    case 'delete':
      if (!(await work.deleteCron(team.id, id))) notFound();
      return say('/crons', 'The cron is deleted with its runs.');
    default:
      throw data(null, { status: 400 });
  }
}

export default function CronPage({ loaderData }: Route.ComponentProps) {
  const { row, facts, headers, payload, durations, range, faults, deletion } = loaderData;
  const { cron } = row;
  const runs = cron.alertThreshold && failedInARow(cron.alertThreshold);
  const stops = cron.stopAfter && failedInARow(cron.stopAfter);
  const { callbackUrl } = cron;
  return (
    <SourcePage
      of="cron"
      id={cron.id}
      name={cron.name}
      facts={facts}
      health={<HealthWord of={row} {...describeStop(cron)} />}
      menu={<PauseUntil of="cron" name={cron.name} />}
      note={<RequestLine method={cron.method} url={cron.url} copy="Copy method and URL" />}
      more={
        <>
          <ButtonLink to={`/crons/new?from=${cron.id}`} variant="default">
            Duplicate
          </ButtonLink>
          <ButtonLink to={`/crons/${cron.id}/edit`} variant="default">
            Edit
          </ButtonLink>
          {cron.isActive ? (
            <ActionButton intent="pause">Pause</ActionButton>
          ) : (
            <ActionButton intent="start">Start</ActionButton>
          )}
        </>
      }
      action={
        <ActionButton intent="run" variant="filled">
          Run now
        </ActionButton>
      }
      deletion={`It never runs again, and its history of ${countOf(deletion.finished, 'run', 'runs')} is deleted too. This can’t be undone. To stop it for a while, pause it.`}
      notices={<UnreadableNotice what={loaderData.unreadable} />}
      unmute={
        facts.windows.every(isOwn) ? (
          <ActionButton intent="unmute" size="small">
            Unmute
          </ActionButton>
        ) : null
      }
    >
      <PlannedRuns row={row} windows={facts.windows} />
      <History page={loaderData.history} status={loaderData.status} faults={faults} />
      <div className="columns">
        <RangePanel title="Duration" ranges={ranges} range={range} faults={faults}>
          <DurationPlot {...durations} range={range} />
        </RangePanel>
        <SourceSettings
          of="cron"
          source={cron}
          facts={facts}
          first={[
            ['Starts', cron.startsAt && `${formatUtcMinute(cron.startsAt)} UTC`],
            ['Ends', describeItsEnd(cron)],
            ['Stops', stops && `After ${stops}`],
            ['Request timeout', `${cron.timeoutSeconds} s`],
          ]}
          alerts={{ title: 'Alerts', isOn: runs !== null, words: runs ? `After ${runs}` : 'Off' }}
          recipientsTitle="Notified"
          last={[
            ['Headers', headers.join(', ') || 'None'],
            ['Payload', payload === null ? 'None' : <code>{payload.slice(0, 200)}</code>],
            [
              'Callback URL',
              callbackUrl ? <RequestLine url={callbackUrl} copy="Copy callback URL" /> : 'None',
            ],
          ]}
        />
      </div>
    </SourcePage>
  );
}

/** Others are not this cron's to end. */
const isOwn = ({ isWeekly, covers }: MaintenanceWindowView) => !isWeekly && covers !== 'team';
