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
  // spec/6.4-alerts and spec/channels have the others.
  const titles: [Partial<StoredAlert>, number, string][] = [
    [
      { kind: 'slow', level: 'warning', downMs: 7_500_000 },
      1,
      'Reminder: cron “Nightly report” is still slow after 2 h 5 min',
    ],
    [
      { kind: 'slow', level: 'recovery', downMs: 7_500_000, source: queue },
      1,
      'Recovery: queue “emails” is as fast as before after 2 h 5 min',
    ],
    [
      { level: 'warning', source: queue },
      3,
      'Warning: 3 jobs of queue “emails” failed at their first attempt',
    ],
  ];
  for (const [change, count, title] of titles) {
    test(title, () => assert.equal(write(change, count).title, title));
  }

  test('the alert of a cron has its status, reason, streak, time and team', () => {
    assert.deepEqual(write().facts, [
      { label: 'Status', value: 'HTTP 503' },
      { label: 'Reason', value: 'http server error' },
      { label: 'Failed in a row', value: '2' },
      { label: 'When', value: '2026-11-21 12:00:00 UTC' },
      { label: 'Team', value: 'Northwind' },
    ]);
  });
  test('the alert of a job has its attempt and error', () => {
    const job = { source: queue, attemptNumber: 4, failedRuns: null };
    const { facts } = write({ ...job, responseStatus: null, errorMessage: 'Cannot\nresolve host' });
    assert.deepEqual(facts.slice(0, 3), [
      { label: 'Status', value: 'no response' },
      { label: 'Reason', value: 'Cannot resolve host' },
      { label: 'Attempt', value: '4' },
    ]);
  });
  test('a redirect is an unknown error with its status (§2.7)', () => {
    const { facts } = write({ responseStatus: 302, reason: null });
    assert.deepEqual(facts[1], {
      label: 'Reason',
      value: 'Unknown error (HTTP 302, redirect not followed)',
    });
    const job = { source: queue, reason: null, errorMessage: 'HTTP 302 error' };
    assert.deepEqual(write({ ...job, responseStatus: 302 }).facts[1], facts[1]);
  });
  test('a recovery gives no reason', () => {
    const { facts } = write({ level: 'recovery', responseStatus: 200, reason: null, downMs: 5 });
    assert.ok(!facts.some(({ label }) => label === 'Reason'));
  });
  test('the alert of a certificate names host and end, and has no reason or response', () => {
    const errorMessage = 'The certificate of a.example ends at 2026-12-05 10:00 UTC.';
    const change = { kind: 'certificate', level: 'warning', failedRuns: null } as const;
    const { title, facts, excerpt } = write({ ...change, errorMessage, source: queue }, 1, 'body');
    assert.equal(title, 'Warning: queue “emails” has a target whose certificate ends soon');
    assert.deepEqual(facts[1], { label: 'Certificate', value: errorMessage });
    assert.ok(!facts.some(({ label }) => label === 'Reason'));
    assert.equal(excerpt, null);
  });
  test('the alert of a slow run has its duration and no response', () => {
    const slow = { kind: 'slow', errorMessage: 'Took 25 s, longer than 20 s.' } as const;
    const { facts, excerpt, details } = write(
      { ...slow, level: 'warning', reason: null },
      1,
      'body',
    );
    assert.deepEqual(
      facts.find(({ label }) => label === 'Duration'),
      { label: 'Duration', value: slow.errorMessage },
    );
    assert.deepEqual([excerpt, details?.kind], [null, 'slow']);
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
    const { facts, link } = write(alert);
    assert.deepEqual(
      facts.map(({ label, value }) => [label, value]),
      [
        ['Now', errorMessage],
        ['When', '2026-11-21 12:00:00 UTC'],
        ['Team', 'Northwind'],
      ],
    );
    assert.deepEqual(link, { label: 'Open the queue', url: `${BASE_URL}/queues/${queue.id}` });
    assert.equal(
      write({ ...alert, kind: 'failure_rate', downMs: 7_500_000 }).title,
      'Reminder: queue “emails” still fails too often after 2 h 5 min',
    );
  });

  test('an alert links to the run', () => {
    assert.equal(write().link.url, `${BASE_URL}/executions/${RUN_ID}`);
    assert.equal(write({ source: queue }).link.url, `${BASE_URL}/jobs/${RUN_ID}`);
  });
  test('several alerts link to the list of what they count', () => {
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
  test('a single alert shows the start of the response, several alerts do not', () => {
    assert.equal(write({}, 1, 'out of cheese').excerpt, 'out of cheese');
    assert.equal(write({}, 2, 'out of cheese').excerpt, null);
  });
  test('the facts of several alerts are those of the first, marked as such', () => {
    const { facts } = write({ source: queue, attemptNumber: 1, failedRuns: null }, 5);
    const labels = [
      'Status of the first',
      'Reason of the first',
      'Attempt of the first',
      'First at',
    ];
    assert.deepEqual(
      facts.map(({ label }) => label),
      [...labels, 'Team'],
    );
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
    const messages = [
      writeMessage({ ...notification, subjects: [alert.source], alertCount: 1 }, BASE_URL),
      writeMessage({ ...notification, alertCount: 2, subjects }, BASE_URL),
    ];
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
  test('the note is in the notification on one line', () => {
    const { facts } = write(1);
    const value = 'Ask the <b>night</b> shift first';
    assert.deepEqual(facts.at(-2), { label: 'Note', value });
  });
  test('the link in a note survives the markup of a chat', () => {
    const url = write(1).runbook?.url ?? '';
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

describe('the start of a response', () => {
  test('the start of a response is cut at 500 whole characters', () => {
    const excerpt = excerptOf(Buffer.from('🔔'.repeat(600))) ?? '';
    assert.equal(Array.from(excerpt).length, 500);
    assert.ok(excerpt.endsWith('🔔…'));
  });
  test('the start of a response drops a character that was cut', () => {
    assert.equal(excerptOf(Buffer.from('añ').subarray(0, 2)), 'a');
  });
  test('the start of a response keeps line breaks and drops other control characters', () => {
    assert.equal(excerptOf(Buffer.from('a\r\nb\u001b[31mc\td')), 'a\nb [31mc\td');
  });
  test('the start of a response is left out if it is empty or not text', () => {
    assert.equal(excerptOf(new Uint8Array()), null);
    assert.equal(excerptOf(Buffer.from('  \n ')), null);
    assert.equal(excerptOf(Buffer.from([1, 0, 2])), null);
  });
  test('the start of a response is bounded and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4000 }), (bytes) => {
        const excerpt = excerptOf(bytes);
        assert.ok(excerpt === null || Array.from(excerpt).length <= 500);
      }),
    );
  });
});

test('the start of a response stays on one line', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (text) => {
      const line = oneLine(text, 120);
      assert.ok(line.isWellFormed());
      assert.doesNotMatch(line, /[\r\n\u2028\u2029\p{Cc}]/u);
      assert.ok(Array.from(line).length <= 120);
    }),
  );
});
