import { Link } from 'react-router';
import type { AlertSettings } from '#domain/alerts/alert-settings';
import { describeStreak } from './failing-streak.ts';
import { failedOf } from './job-search.ts';
import type { FailedSource } from './read-run.ts';

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

export function NoteOf({ note, runbookUrl }: Pick<AlertSettings, 'note' | 'runbookUrl'>) {
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
