import { Link } from 'react-router';
import type { AlertSettings } from '#domain/alerts/alert-settings';
import { MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { Streak, Work } from '../services.ts';
import { countOf } from '../words/amounts.ts';
import { describeStreak } from './failing-streak.ts';
import { StartCron } from './HealthWord.tsx';
import { failedOf } from './job-search.ts';
import { describeOutcome } from './reasons.ts';
import type { FailedSource } from './read-run.ts';
import { pageOfRun } from './run-links.ts';
import { AnswerStart } from './RunParts.tsx';

type Kind = 'cron' | 'queue';

/** Null if it does not fail. */
export async function readFailing(work: Work, teamId: string, kind: Kind, streak: Streak | null) {
  if (streak === null) return null;
  const run = await (kind === 'cron'
    ? work.readExecutionDetail(teamId, streak.lastRunId)
    : work.readJobDetail(teamId, streak.lastRunId));
  if (run === null) return null;
  const { record, response, explanation } = run;
  const { id, responseStatus, reason } = record;
  const last = { id, responseStatus, reason, response, nextStep: explanation?.nextStep ?? null };
  return { streak, last };
}

type Failing = NonNullable<Awaited<ReturnType<typeof readFailing>>>;

type FailingNoticeProps = {
  of: Kind;
  id: string;
  failing: Failing | null;
  alertSettings: AlertSettings;
  isMuted: boolean;
  stoppedAfter: number | null;
};

export function FailingNotice(props: FailingNoticeProps) {
  const { of, id, failing, alertSettings, isMuted, stoppedAfter } = props;
  if (failing === null) return null;
  const { streak, last } = failing;
  return (
    <Notice kind="failed" title={`${describeStreak(of, streak)}: ${describeOutcome(last)}`}>
      <AnswerStart response={last.response} />
      {last.nextStep ? <p>{last.nextStep}</p> : null}
      {stoppedAfter === null ? null : (
        <p>{`Stopped after ${countOf(stoppedAfter, 'failure')}: it does not run until you start it.`}</p>
      )}
      <NoteOf {...alertSettings} />
      <div className="row">
        {stoppedAfter === null ? null : <StartCron id={id} />}
        <Link to={pageOfRun(of === 'cron' ? 'execution' : 'job', last.id)}>
          See the last failure
        </Link>
        {of === 'queue' ? <Link to={failedOf(id)}>See its failed jobs</Link> : null}
        {isMuted ? null : <MuteForAnHour source={`${of}:${id}`} isSmall />}
      </div>
    </Notice>
  );
}

export function SourceOfRun({ source }: { source: FailedSource | null }) {
  if (source === null) return null;
  const { kind, id, name, streak, alertSettings } = source;
  return (
    <>
      {streak ? (
        <p>
          Its {kind} <Link to={`/${kind}s/${id}`}>{name}</Link> is failing:{' '}
          {describeStreak(kind, streak).replace(/^./, (first) => first.toLowerCase())}.{' '}
          {kind === 'queue' ? <Link to={failedOf(id)}>See its failed jobs</Link> : null}
        </p>
      ) : null}
      <NoteOf {...alertSettings} />
    </>
  );
}

function NoteOf({ note, runbookUrl }: Pick<AlertSettings, 'note' | 'runbookUrl'>) {
  return (
    <>
      {note ? <p>Note: {note}</p> : null}
      {runbookUrl ? (
        <p>
          Runbook:{' '}
          <a href={runbookUrl} rel="noreferrer">
            {runbookUrl}
          </a>
        </p>
      ) : null}
    </>
  );
}
