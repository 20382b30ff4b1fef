import type { ReactNode } from 'react';
import { countOf } from '../words/amounts.ts';
import type { AlertSettings } from '#domain/alert-settings';

/** What a cron or queue says of its alerts, for the list of its settings. */
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
