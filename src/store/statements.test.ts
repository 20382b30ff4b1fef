import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { STATEMENTS } from './database/prepared.ts';
// Loads every module with a statement.
import './store.ts';

type Names = readonly string[] | Readonly<Record<'postgres' | 'sqlite', readonly string[]>>;

/** The statements of the hot paths: by the step that runs them, in the order in which they run. */
const HOT: Readonly<Record<string, Names>> = {
  'Accept jobs': ['insert-jobs'],
  'Claim jobs': {
    postgres: [
      'claim-jobs-at-once',
      'lock-limited-queues',
      'read-taken-slots',
      'lock-months',
      'claim-jobs-in-steps',
      'keep-taken-slots',
    ],
    sqlite: ['read-queues', 'claim-jobs-4', 'write-spent-rates'],
  },
  'Count jobs and executions of a team near its monthly limit': ['count-months'],
  'Claim executions': [
    'read-teams',
    'lock-node',
    'lock-run-nows',
    'start-run-nows',
    'lock-due-crons',
    'insert-ticks',
    'move-crons-on',
    'read-team-heads',
    'count-starts',
  ],
  'Settle jobs': {
    postgres: ['end-jobs-by-place-at-once', 'end-jobs-with-follow-ups'],
    sqlite: [
      'end-jobs-by-place',
      'end-jobs',
      'copy-live-jobs',
      'insert-callbacks',
      'count-batch',
      'take-out-places',
      'take-out-jobs',
    ],
  },
  'Settle executions': {
    postgres: ['end-executions-with-follow-ups'],
    sqlite: ['end-executions', 'take-out-executions'],
  },
  'Send callbacks': ['take-callbacks', 'delete-sent-callbacks'],
  'Scan for waiting runs and callbacks': [
    'scan-waiting-queues',
    'scan-waiting-teams',
    'scan-callback-teams',
  ],
  'Add up counts of batches': [
    'find-batch-counts',
    'take-batch-counts',
    'add-outcomes',
    'add-durations',
    'add-to-months',
  ],
  'Delete expired runs': [
    'find-old-dead-letters',
    'find-old-failures',
    'find-old-successes',
    'find-old-executions',
    'delete-ended-jobs',
    'delete-ended-executions',
    'find-gone-by-ended-jobs',
    'find-gone-by-ended-executions',
  ],
};

for (const dialect of ['postgres', 'sqlite'] as const) {
  test(`the hot statements of ${dialect} are those of the reviewed file`, (t) => {
    const parts = Object.entries(HOT).map(([step, names]) => {
      const ofDialect = 'postgres' in names ? names[dialect] : names;
      const texts = ofDialect.map((name) =>
        layOut(STATEMENTS.get(name)?.[dialect] ?? missing(name)),
      );
      return [`-- ${step}`, ...texts].join('\n\n');
    });
    const file = path.join(import.meta.dirname, 'statements', `${dialect}.sql`);
    // `npm run statements` writes the files.
    t.assert.fileSnapshot(`${parts.join('\n\n\n')}\n`, file, { serializers: [String] });
  });
}

function missing(name: string): never {
  assert.fail(`there is no statement ${name}`);
}

/** Indents a composed text by its parentheses, and breaks long lines at spaces. */
function layOut(text: string): string {
  const name = text.replace(/ \*\/ */, ' */\n');
  let depth = 0;
  const lines = name.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const closing = /^\)*/.exec(line)?.[0].length ?? 0;
      const indent = '  '.repeat(Math.max(0, depth - closing));
      depth += line.split('(').length - line.split(')').length;
      return indent + line.replaceAll(/(.{1,110})( |$)/g, `$1\n${indent}    `).trimEnd();
    })
    .join('\n');
}
