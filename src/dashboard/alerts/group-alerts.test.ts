import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredAlert } from '../services.ts';
import { describeGroup, groupAlerts, oneByOne } from './group-alerts.ts';

const mail = { kind: 'queue', id: 'q1', name: 'mail' } as const;

const alert = (id: string, more: Partial<StoredAlert> = {}): StoredAlert => ({
  teamId: 't',
  id,
  raisedAt: 0,
  level: 'warning',
  source: mail,
  runId: 'r',
  attemptNumber: 1,
  responseStatus: 502,
  reason: 'http_server_error',
  errorMessage: 'HTTP 502 error',
  failedRuns: null,
  downMs: null,
  delivery: 'sent',
  mutedBy: null,
  isRead: false,
  kind: null,
  ...more,
});

const said = (alerts: StoredAlert[]) => groupAlerts(alerts).map(describeGroup);

describe('alerts in groups', () => {
  test('are one line where source, level and outcome are the same, by the newest', () => {
    const other = alert('2', { responseStatus: 404, reason: 'http_client_error' });
    const groups = groupAlerts([alert('3'), other, alert('1')]);
    assert.deepEqual(
      groups.map(({ ids }) => ids),
      [['3', '1'], ['2']],
    );
    assert.deepEqual(said([alert('3'), other, alert('1')]), [
      '“mail”: 2 first attempts failed',
      'A job of “mail” failed at its first attempt',
    ]);
  });

  test('keep apart what was read, muted, or is about another source of the same name', () => {
    const apart = [
      alert('5', { isRead: true }),
      alert('4', { delivery: 'muted', mutedBy: 'Upgrade' }),
      alert('3', { source: { ...mail, id: 'q2' } }),
      alert('2', { source: { ...mail, kind: 'cron' } }),
      alert('1', { level: 'failure' }),
      alert('0'),
    ];
    assert.equal(groupAlerts(apart).length, apart.length);
  });

  test('tell every recovery by itself, with how long it was down', () => {
    const nightly = { kind: 'cron', id: 'c', name: 'Nightly' } as const;
    const back = { source: nightly, level: 'recovery', downMs: 60_000 } as const;
    assert.equal(groupAlerts([alert('2', back), alert('1', back)]).length, 2);
    assert.deepEqual(said([alert('2', { source: nightly }), alert('1', { source: nightly })]), [
      '“Nightly” failed: 2 alerts',
    ]);
  });

  test('are each alone where that is asked for', () => {
    assert.equal(oneByOne([alert('2'), alert('1')]).length, 2);
  });
});
