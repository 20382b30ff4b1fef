/** Made-up alerts, maintenance windows and a notification channel for the pictures of their pages. */
import type {
  Alert,
  MaintenanceWindowView,
  NamedSource,
  Services,
} from '../src/dashboard/services.ts';

const minute = 60_000;
const hour = 60 * minute;
const idAt = (at: number) => `019ab13e-7c1f-7a52-b5d4-88f0c2ee${String(9000 + at)}`;

const sources: NamedSource[] = [
  ...['Close the month', 'Nightly backup', 'Reindex the catalogue', 'Sync customers'].map(
    (name, at) => ({ kind: 'cron' as const, id: idAt(at), name }),
  ),
  ...['billing', 'mail'].map((name, at) => ({ kind: 'queue' as const, id: idAt(at), name })),
];

function makeAlert(at: number, now: number): Alert {
  const isJob = at % 4 === 3;
  const level = isJob
    ? at % 8 === 3
      ? 'failure'
      : 'warning'
    : ((['recovery', 'failure', 'warning'] as const)[at % 3] ?? 'failure');
  const cron = sources[at % 4] ?? { kind: 'cron', id: idAt(1), name: 'Nightly backup' };
  const source = isJob ? { kind: 'queue' as const, id: idAt(1), name: 'mail' } : { ...cron };
  const isFine = level === 'recovery';
  const isMuted = at % 7 === 4;
  return {
    teamId: 't1',
    id: idAt(300 - at),
    raisedAt: now - at * at * 17 * minute - 3 * minute,
    level,
    source,
    runId: idAt(at),
    attemptNumber: isJob ? 1 : null,
    responseStatus: isFine ? 200 : at % 5 === 1 ? null : 503,
    reason: isFine ? null : at % 5 === 1 ? 'timeout' : 'http_server_error',
    errorMessage: isFine
      ? null
      : at % 5 === 1
        ? 'No response in 30 s'
        : isJob
          ? 'HTTP 503 error'
          : null,
    failedRuns: isJob ? null : 2,
    downMs: isFine ? 2 * hour + 5 * minute : null,
    delivery: isMuted ? 'muted' : at === 0 ? 'pending' : at === 6 ? 'failed' : 'sent',
    mutedBy: isMuted ? 'Database upgrade' : null,
    isRead: at > 4,
  };
}

function makeWindow(
  at: number,
  now: number,
  more: Partial<MaintenanceWindowView>,
): MaintenanceWindowView {
  const start = Math.floor(now / hour) * hour;
  return {
    teamId: 't1',
    id: idAt(at),
    name: 'Maintenance',
    startsAt: start,
    endsAt: start + hour,
    isWeekly: false,
    covers: 'team',
    createdAt: now - 40 * hour,
    state: 'upcoming',
    activeUntil: null,
    ...more,
  };
}

const now = Date.now();
const day = 24 * hour;
const today = Math.floor(now / day) * day;
const windows: MaintenanceWindowView[] = [
  makeWindow(1, now, { state: 'active', activeUntil: Math.floor(now / hour) * hour + hour }),
  makeWindow(2, now, {
    name: 'Database upgrade',
    startsAt: today - 4 * day + 22 * hour,
    endsAt: today - 3 * day + 2 * hour,
    isWeekly: true,
    covers: sources.slice(0, 3).map(({ kind, id }) => ({ kind, id })),
  }),
  makeWindow(3, now, {
    name: 'Move to the new data centre, first half, with the mail relay',
    startsAt: today - 9 * day,
    endsAt: today - 9 * day + 3 * hour,
    covers: sources.slice(4).map(({ kind, id }) => ({ kind, id })),
    state: 'over',
  }),
];

export function makeLookAlerts(): Partial<Services['work']> {
  return {
    listAlerts: async (_team, { limit }) =>
      Array.from({ length: Math.min(14, limit) }, (_, at) => makeAlert(at, now)),
    listAlertSources: async () => sources,
    listWindows: async () => windows,
    listActiveWindows: async () => windows.slice(0, 1),
    findWindow: async () => windows[1] ?? null,
    readChannel: async () => ({
      kind: 'slack',
      maskedUrl: 'https://hooks.slack.com/…3f9a',
      lastSentAt: now - 5 * hour,
      lastError: 'HTTP 404 error',
      lastErrorAt: now - 20 * minute,
    }),
  };
}
