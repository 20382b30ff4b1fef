import type { ReactNode } from 'react';
import { countOf } from '../words/amounts.ts';
import type { AlertSettings } from '#domain/alert-settings';
import type { SlowRule } from '#domain/slow-runs';

function describeRule({ seconds, timesMedian }: SlowRule): string {
  return [
    seconds === null ? null : `${seconds} s`,
    timesMedian === null ? null : `${timesMedian} times the median`,
  ]
    .filter((part) => part !== null)
    .join(' or ');
}

/** The note and the runbook of a cron's or queue's alerts, for the list of its settings. */
export function noteEntries({
  note,
  runbookUrl,
  remindHours,
  slow,
}: Omit<AlertSettings, 'channels'>): (readonly [string, ReactNode])[] {
  return [
    ['Slow runs', slow === null ? null : `Told when one takes longer than ${describeRule(slow)}`],
    [
      'Reminders',
      remindHours === null
        ? null
        : `Every ${countOf(remindHours, 'hour', 'hours')} while it goes on failing`,
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
