import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AlertSettings } from '#domain/alerts/alert-settings';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import { ActivityPanel } from '../activity/ActivityPanel.tsx';
import { MaintenanceNotice, MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { describeRecipients } from '../alerts/muted-now.ts';
import { PageHeader, type PageHeaderProps } from '../page/PageHeader.tsx';
import { describeStreak } from './failing-streak.ts';
import { StartCron } from './HealthWord.tsx';
import { failedOf } from './job-search.ts';
import { describeOutcome } from './reasons.ts';
import { pageOfRun } from './run-links.ts';
import { AnswerStart } from './RunParts.tsx';
import { NoteOf } from './SourceOfRun.tsx';
import { Notice } from '../parts/Notice.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { Time } from '../parts/Time.tsx';
import type { Streak, Work } from '../services.ts';
import { countOf } from '../words/amounts.ts';

type Source = {
  kind: 'cron' | 'queue';
  id: string;
  alertSettings: AlertSettings;
  streak: Streak | null;
  stoppedAfter?: number | null;
};

/** @param levels the alerts that it can raise */
export async function readSourceFacts(
  work: Work,
  teamId: string,
  { kind, id, alertSettings, streak, stoppedAfter = null }: Source,
  levels: readonly AlertLevel[],
) {
  const { slowSeconds } = alertSettings;
  const [windows, activity, recipients, slowSince, certificates, failing] = await Promise.all([
    work.listActiveWindows(teamId, { kind, id }),
    work.listActivityOf(teamId, id),
    describeRecipients(work, teamId, alertSettings, levels),
    // Null: it isn't slow, or has no limit.
    slowSeconds === null ? null : work.findSlowSince(teamId, id, slowSeconds),
    work.listEndingCertificates(teamId, id),
    readFailing(work, teamId, { kind, streak }),
  ]);
  const shown = { slowSince, certificates, failing, stoppedAfter };
  return { alertSettings, windows, activity, recipients, ...shown };
}

/** Null if it does not fail. */
async function readFailing(
  work: Work,
  teamId: string,
  { kind, streak }: Pick<Source, 'kind' | 'streak'>,
) {
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

export type SourceFacts = Awaited<ReturnType<typeof readSourceFacts>>;

type SourcePageProps = Pick<PageHeaderProps, 'note' | 'more' | 'action' | 'menu'> & {
  of: 'cron' | 'queue';
  id: string;
  name: string;
  facts: SourceFacts;
  health: ReactNode;
  deletion: ReactNode;
  /** Notices below those that it fails and is slow. */
  notices?: ReactNode;
  unmute?: ReactNode;
  children: ReactNode;
};

export function SourcePage(props: SourcePageProps) {
  const { of, id, name, facts, health, menu, deletion, notices, unmute, children, ...head } = props;
  const { failing, slowSince, certificates } = facts;
  return (
    <>
      <PageHeader
        title={name}
        every={5}
        beside={health}
        parent={{ to: `/${of}s`, text: of === 'cron' ? 'Crons' : 'Queues' }}
        {...head}
        menu={
          <MoreActions of={name}>
            {menu}
            <ConfirmDialog
              word="Delete"
              question={`Delete the ${of} “${name}”?`}
              fields={{ intent: 'delete' }}
            >
              {deletion}
            </ConfirmDialog>
          </MoreActions>
        }
      />
      <div className="stack">
        {failing === null ? null : (
          <Notice
            kind="failed"
            title={`${describeStreak(of, failing.streak)}: ${describeOutcome(failing.last)}`}
          >
            <AnswerStart response={failing.last.response} />
            {failing.last.nextStep ? <p>{failing.last.nextStep}</p> : null}
            {facts.stoppedAfter === null ? null : (
              <p>{`Stopped after ${countOf(facts.stoppedAfter, 'failure')}: it does not run until you start it.`}</p>
            )}
            <NoteOf {...facts.alertSettings} />
            <div className="row">
              {facts.stoppedAfter === null ? null : <StartCron id={id} />}
              <Link to={pageOfRun(of === 'cron' ? 'execution' : 'job', failing.last.id)}>
                See the last failure
              </Link>
              {of === 'queue' ? <Link to={failedOf(id)}>See its failed jobs</Link> : null}
              {facts.windows.length > 0 ? null : <MuteForAnHour source={`${of}:${id}`} isSmall />}
            </div>
          </Notice>
        )}
        {slowSince === null ? null : (
          <Notice kind="warning" title={`This ${of} is slow`}>
            Since <Time at={slowSince} exact /> (<Time at={slowSince} />
            ).{' '}
            <Link to={`/alerts?source=${encodeURIComponent(`${of}:${id}`)}`}>See its alerts</Link>
          </Notice>
        )}
        {certificates.length === 0 ? null : (
          <Notice
            kind="warning"
            title={`${countOf(certificates.length, 'certificate of a target', 'certificates of targets')} must be renewed`}
          >
            <ul>
              {certificates.map(({ host, endsAt }) => (
                <li key={`${host} ${endsAt}`}>
                  {host}: valid until <Time at={endsAt} exact />
                </li>
              ))}
            </ul>
            <p>
              Requests fail after that time. The notice disappears when a run sees a newer
              certificate.
            </p>
          </Notice>
        )}
        {notices}
        <MaintenanceNotice windows={facts.windows} of={`this ${of}`} action={unmute} />
        {children}
        <ActivityPanel activity={facts.activity} />
      </div>
    </>
  );
}
