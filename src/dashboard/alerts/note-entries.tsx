import type { ReactNode } from 'react';
import { countOf } from '../words/amounts.ts';
import type { AlertSettings } from '#domain/alert-settings';

/** The note and the runbook of a cron's or queue's alerts, for the list of its settings. */
export function noteEntries({
  note,
  runbookUrl,
  remindHours,
}: Pick<AlertSettings, 'note' | 'runbookUrl' | 'remindHours'>): (readonly [string, ReactNode])[] {
  return [
    [
      'Reminders',
      remindHours === null ? null : `Every ${countOf(remindHours, 'hour', 'hours')} while it fails`,
    ],
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
