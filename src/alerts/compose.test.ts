import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#testing/any-text';
import type { RequestSpec } from '#domain/http/request';
import type { StoredAlert } from '#store/alerts/alerts';
import { pagerduty } from './channels/pagerduty.ts';
import { writeMessage, writeTestMessage } from './compose.ts';
import { excerptOf, oneLine } from './texts.ts';

const BASE_URL = 'https://belfry.example';
const request: RequestSpec = {
  method: 'POST',
  url: 'https://target.example/report?token=t0ken-1',
  headers: [
    ['Authorization', 'Basic YWRhOmxvdmVsYWNl'],
    ['X-Trace', 'harmless'],
  ],
  payload: { kind: 'json', text: `{ "card": "4111/1111", "long": "${'x'.repeat(900)}" }` },
};
const RUN_ID = '019a0000-0000-7000-8000-000000000001';

function anAlert(change: Partial<StoredAlert> = {}): StoredAlert {
  return {
    teamId: '019a0000-0000-7000-8000-00000000000a',
    id: '019a0000-0000-7000-8000-00000000000b',
    raisedAt: Date.parse('2026-11-21T12:00:00.900Z'),
    level: 'failure',
    source: { kind: 'cron', id: '019a0000-0000-7000-8000-00000000000c', name: 'Nightly report' },
    runId: RUN_ID,
    attemptNumber: null,
    responseStatus: 503,
    reason: 'http_server_error',
    errorMessage: null,
    failedRuns: 2,
    downMs: null,
    delivery: 'pending',
    mutedBy: null,
    isRead: false,
    kind: null,
    ...change,
  };
}

const COMMON = {
  notificationId: '019a0000-0000-7000-8000-00000000000d',
  teamName: 'Northwind',
  request,
  settings: { note: null, runbookUrl: null },
};

function write(change: Partial<StoredAlert> = {}, alertCount = 1, body: string | null = null) {
  const response = body === null ? null : Buffer.from(body);
  const alert = anAlert(change);
  const notification = { ...COMMON, alert, subjects: [alert.source], alertCount, response };
  return writeMessage(notification, BASE_URL);
}

const cron = anAlert().source;
const queue = { ...cron, kind: 'queue', name: 'emails' } as const;

describe('the text of an alert', () => {
  test('the title of an alert has its level, source, cause and duration', () => {
    const [warning, slow] = [{ level: 'warning' }, { kind: 'slow', downMs: 7_500_000 }] as const;
    // spec/6.4-alerts and spec/channels have the others.
    const titles: [Partial<StoredAlert>, number, string][] = [
      [{ ...slow, ...warning }, 1, 'Reminder: cron “Nightly report” is still slow after 2 h 5 min'],
      [
        { ...slow, level: 'recovery', source: queue },
        1,
        'Recovery: queue “emails” is as fast as before after 2 h 5 min',
      ],
      [
        { ...warning, source: queue },
        3,
        'Warning: 3 jobs of queue “emails” failed at their first attempt',
      ],
      [
        { ...slow, kind: 'failure_rate', source: queue },
        1,
        'Reminder: queue “emails” still fails too often after 2 h 5 min',
      ],
    ];
    for (const [change, count, title] of titles) assert.equal(write(change, count).title, title);
  });

  const rows = (change: Partial<StoredAlert>, alertCount = 1) =>
    write(change, alertCount).facts.map(({ label, value }) => `${label}: ${value}`);

  test('the alert of a cron has its status, reason, streak, time and team', () => {
    assert.deepEqual(rows({}), [
      'Status: HTTP 503',
      'Reason: http server error',
      'Failed in a row: 2',
      'When: 2026-11-21 12:00:00 UTC',
      'Team: Northwind',
    ]);
  });
  test('the alert of a job has its attempt and error', () => {
    const job = { source: queue, attemptNumber: 4, failedRuns: null };
    const errorMessage = 'Cannot\nresolve host';
    assert.deepEqual(rows({ ...job, responseStatus: null, errorMessage }).slice(0, 3), [
      'Status: no response',
      'Reason: Cannot resolve host',
      'Attempt: 4',
    ]);
  });
  test('a redirect is an unknown error with its status (§2.7), a recovery has no reason', () => {
    const job = { source: queue, errorMessage: 'HTTP 302 error' };
    for (const source of [{}, job])
      assert.equal(
        rows({ ...source, reason: null, responseStatus: 302 })[1],
        'Reason: Unknown error (HTTP 302, redirect not followed)',
      );
    assert.doesNotMatch(rows({ level: 'recovery', reason: null, downMs: 5 }).join(), /Reason/);
  });
  test('the alert of a certificate or a slow run has its cause, and no reason or response', () => {
    for (const [kind, label, errorMessage] of [
      ['certificate', 'Certificate', 'The certificate of a.example ends at 2026-12-05 10:00 UTC.'],
      ['slow', 'Duration', 'Took 25 s, longer than 20 s.'],
    ] as const) {
      const alert = { kind, level: 'warning', errorMessage } as const;
      const { facts, excerpt, details } = write(alert, 1, 'body');
      assert.deepEqual(facts[1], { label, value: errorMessage });
      assert.ok(!facts.some((fact) => fact.label === 'Reason'));
      assert.deepEqual([excerpt, details?.kind], [null, kind]);
    }
  });
  test('slow runs of a cron are an incident of their own', () => {
    const keys = (kind: 'slow' | null) =>
      pagerduty(write({ kind, level: 'recovery' }), { kind: 'pagerduty', routing_key: 'k' }).map(
        ({ body }) => (body as { dedup_key: string }).dedup_key,
      );
    assert.deepEqual(keys('slow'), [`belfry-cron-${cron.id}-slow`]);
    assert.deepEqual(keys(null), [`belfry-cron-${cron.id}`]);
  });

  test('the alert of a whole queue has its cause, no status, and a link to the queue', () => {
    const about = { source: queue, runId: null, responseStatus: null, reason: null } as const;
    const errorMessage = 'The oldest job is overdue by 12 min, limit 10 min.';
    const alert = { ...about, kind: 'backlog', failedRuns: null, errorMessage } as const;
    assert.deepEqual(rows(alert), [
      `Now: ${errorMessage}`,
      'When: 2026-11-21 12:00:00 UTC',
      'Team: Northwind',
    ]);
    assert.deepEqual(write(alert).link, {
      label: 'Open the queue',
      url: `${BASE_URL}/queues/${queue.id}`,
    });
  });

  test('an alert links to the run, and several link to the list of what they count', () => {
    assert.equal(write().link.url, `${BASE_URL}/executions/${RUN_ID}`);
    assert.equal(write({ source: queue }).link.url, `${BASE_URL}/jobs/${RUN_ID}`);
    const since = 'from=2026-11-21T12%3A00%3A00';
    assert.deepEqual(write({ source: queue }, 7).link, {
      label: 'Open the failed jobs',
      url: `${BASE_URL}/jobs?tab=failed&queue=${queue.id}&${since}`,
    });
    assert.deepEqual(write({ source: queue, level: 'warning' }, 7).link, {
      label: 'Open the failed attempts',
      url: `${BASE_URL}/runs?of=queue%3A${queue.id}&status=retried&${since}`,
    });
    assert.deepEqual(write({ mutedBy: 'Deploy' }, 2).link, {
      label: 'Open the failing crons',
      url: `${BASE_URL}/crons?status=failing`,
    });
  });
  test('a test notification links to the page that sent it', () => {
    const { link, title } = writeTestMessage(
      { teamId: 'any', teamName: 'North\r\nwind' },
      BASE_URL,
    );
    assert.equal(link.url, `${BASE_URL}/settings/notifications`);
    assert.equal(title, 'Test: alerts of North wind will arrive here');
  });
  test('the facts of several alerts are those of the first, marked as such', () => {
    assert.deepEqual(rows({ source: queue, attemptNumber: 1, failedRuns: null }, 5), [
      'Status of the first: HTTP 503',
      'Reason of the first: http server error',
      'Attempt of the first: 1',
      'First at: 2026-11-21 12:00:00 UTC',
      'Team: Northwind',
    ]);
    assert.equal(write({}, 2, 'out of cheese').excerpt, null, 'nor the response of the first');
  });
  const payload = `{"card":"4111\\/1111","long":"${'x'.repeat(200)}`;
  const echoes: [part: string, body: string, excerpt: string][] = [
    ['a secret header', 'no: Basic YWRhOmxvdmVsYWNl, YWRhOmxvdmVsYWNl.', 'no: •••, •••.'],
    ['the query', 'GET /report?token=t0ken-1 HTTP', 'GET /report?••• HTTP'],
    ['the payload as far as it is there', `got ${payload} …`, 'got ••• …'],
    ['nothing that is no secret', 'harmless target.example', 'harmless target.example'],
  ];
  for (const [part, body, excerpt] of echoes) {
    test(`an alert leaves out secrets that the response repeats: ${part}`, () => {
      assert.equal(write({}, 1, body).excerpt, excerpt);
    });
  }
  test('an alert leaves out secrets that the error repeats', () => {
    const errorMessage = 'Assertion failed: got YWRhOmxvdmVsYWNl';
    assert.equal(write({ errorMessage }).facts[1]?.value, 'Assertion failed: got •••');
  });
  test("a name can't add a line to an alert", () => {
    const name = 'a\r\nBcc: eve@example.com\u2028b\u202e';
    const { title } = write({ source: { ...cron, name } });
    assert.ok(title.includes('“a Bcc: eve[at]example[.]com b”'));
  });
  test('a name is no link either where a maintenance window has ended (§6.6)', () => {
    const change = { mutedBy: 'ends.example', source: { ...cron, name: 'http://evil.example' } };
    const alert = anAlert(change);
    const notification = { ...COMMON, alert, response: null };
    const subjects = [alert.source, { ...cron, name: 'two.example' }];
    const messages = [1, 2].map((alertCount) =>
      writeMessage(
        { ...notification, alertCount, subjects: subjects.slice(0, alertCount) },
        BASE_URL,
      ),
    );
    for (const { title, facts } of messages) {
      const text = [title, ...facts.map(({ value }) => value)].join();
      assert.match(text, /“ends\[\.]example”/);
      assert.match(text, /http\[:]\/\/evil\[\.]example/);
      assert.doesNotMatch(text, /\w\.example/);
    }
  });
});

describe('the note of a cron or queue', () => {
  const settings = {
    note: 'Ask  the <b>night</b> shift\nfirst',
    runbookUrl: 'https://wiki.example/a_b?x=1)|<script>"\'`[y]',
  };
  const write = (alertCount: number, isSeveral = false) => {
    const alert = anAlert(isSeveral ? { mutedBy: 'Night' } : {});
    const subjects = isSeveral ? [alert.source, { ...cron, name: 'Other' }] : [alert.source];
    const notification = { ...COMMON, settings, alert, subjects, alertCount, response: null };
    return writeMessage(notification, BASE_URL);
  };
  test('a note is one line, and its link survives the markup of a chat', () => {
    const { facts, runbook } = write(1);
    const value = 'Ask the <b>night</b> shift first';
    assert.deepEqual(facts.at(-2), { label: 'Note', value });
    const url = runbook?.url ?? '';
    assert.doesNotMatch(url, /[|<>"'`()[\]\s]/);
    const there = (text: string) => decodeURIComponent(new URL(text).search);
    assert.equal(there(url), there(settings.runbookUrl));
  });
  test('the note is left out of a notification about several crons', () => {
    const { facts, runbook, details } = write(2, true);
    assert.ok(!facts.some(({ label }) => label === 'Note'));
    assert.equal(runbook, null);
    assert.equal(details?.note, null);
  });
});

test('the start of a response is readable text of at most 500 whole characters', () => {
  const excerpt = excerptOf(Buffer.from('🔔'.repeat(600))) ?? '';
  assert.equal(Array.from(excerpt).length, 500);
  assert.ok(excerpt.endsWith('🔔…'));
  assert.equal(excerptOf(Buffer.from('añ').subarray(0, 2)), 'a');
  assert.equal(excerptOf(Buffer.from('a\r\nb\u001b[31mc\td')), 'a\nb [31mc\td');
  for (const nothing of ['', '  \n ', '\u0001\0\u0002'])
    assert.equal(excerptOf(Buffer.from(nothing)), null);
});

test('texts of an alert are bounded, and names stay on one line', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4000 }), anyText({ maxLength: 300 }), (bytes, text) => {
      assert.ok(Array.from(excerptOf(bytes) ?? '').length <= 500);
      const line = oneLine(text, 120);
      assert.ok(line.isWellFormed());
      assert.doesNotMatch(line, /[\r\n\u2028\u2029\p{Cc}]/u);
      assert.ok(Array.from(line).length <= 120);
    }),
  );
});
