import type { ReactNode } from 'react';
import type { AlertSettings } from '#domain/alert-settings';

/** What a cron or queue says of its alerts, for the list of its settings. */
export function noteEntries({
  note,
  runbookUrl,
}: Pick<AlertSettings, 'note' | 'runbookUrl'>): (readonly [string, ReactNode])[] {
  return [
    ['Note', note],
    [
      'Runbook',
      runbookUrl === null ? null : (
        <a key="runbook" href={runbookUrl} rel="noreferrer">
          {runbookUrl}
        </a>
      ),
    ],
  ];
}
