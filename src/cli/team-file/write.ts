import { stringify } from 'yaml';
import { fieldsOfKind, valueOf } from '#domain/notification-channel';
import { formatRate } from '#domain/rate';
import { formatRetrySchedule } from '#domain/retry-schedule';
import { formatUtcMinute } from '#domain/instant';
import type { IsSecretHeader } from '#domain/secret-headers';
import type { Cron } from '#work/crons';
import type { Queue } from '#work/queues';
import type { MaintenanceWindowView } from '#work/windows';
import { writeAlertFields } from './alert-fields.ts';
import { SECRET_PREFIX } from './document.ts';
import { coverOf, type TeamState, writeTime } from './plan.ts';
import { FILE_VERSION } from './read.ts';

interface Reference {
  env: string;
}

/** Gives each secret of a file a unique variable name. */
class References {
  readonly names: string[] = [];

  refer(...about: readonly string[]): Reference {
    const words = about.join('_').normalize('NFKD').toUpperCase();
    const plain = words
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 100);
    const name = `${SECRET_PREFIX}${plain || 'VALUE'}`;
    let free = name;
    for (let n = 2; this.names.includes(free); n++) free = `${name}_${n}`;
    this.names.push(free);
    return { env: free };
  }
}

/**
 * Writes a team as a file that can be applied to it or to another team. Secrets are left out: the file names the
 * environment variables to read them from.
 */
export function writeTeamFile(
  teamName: string,
  state: TeamState,
  isSecretHeader: IsSecretHeader,
): { text: string; secrets: readonly string[] } {
  const references = new References();
  const { channel, channels, queues, crons, windows } = state;
  const toCome = windows.filter((window) => window.state !== 'over');
  const content = {
    version: FILE_VERSION,
    channel: writeChannel(channel, 'channel', references),
    ...(channels.length > 0 && {
      channels: channels.map(({ name, ...channel }) =>
        Object.assign({ name }, writeChannel(channel, name, references)),
      ),
    }),
    queues: queues.map((queue) =>
      Object.assign(writeQueue(queue), writeAlertFields(queue.alertSettings, channels)),
    ),
    crons: crons.map((cron) => {
      const fields = writeCron(cron, isSecretHeader, references);
      return Object.assign(fields, writeAlertFields(cron.alertSettings, channels));
    }),
    maintenance_windows: toCome.flatMap((window) => writeWindow(window, state)),
  };
  const head = `# The team ${JSON.stringify(teamName)}: what belfry team apply makes of another one, or keeps of this one.\n`;
  const secrets = references.names;
  const needs = secrets.length === 0 ? '' : `# Reads from the environment: ${secrets.join(', ')}\n`;
  return { text: head + needs + stringify(content, { lineWidth: 0 }), secrets };
}

function writeChannel(
  { config, collectMinutes }: TeamState['channel'],
  name: string,
  references: References,
) {
  const fields = fieldsOfKind(config.kind).flatMap((field) => {
    const value = valueOf(config, field);
    if (value === null) return [];
    return [[field.name, field.isSecret ? references.refer(name, field.name) : value] as const];
  });
  return {
    kind: config.kind,
    ...Object.fromEntries(fields),
    ...(collectMinutes !== null && { collect_minutes: collectMinutes }),
  };
}

/** Leaves out fields at their defaults, except those that people look for. */
function writeQueue(queue: Queue) {
  return {
    name: queue.name,
    timeout_seconds: queue.timeoutSeconds,
    retries_enabled: queue.retriesEnabled,
    retry_schedule: formatRetrySchedule(queue.retrySchedule),
    ...(queue.concurrencyLimit !== null && { concurrency_limit: queue.concurrencyLimit }),
    ...(queue.rate !== null && { rate: formatRate(queue.rate) }),
    ...(queue.assertions.length > 0 && { assertions: queue.assertions }),
    email_alerts: queue.emailAlerts,
    dead_letter_days: queue.deadLetterDays,
    is_paused: queue.isPaused,
    ...(queue.tags.length > 0 && { tags: queue.tags }),
  };
}

function writeCron(cron: Cron, isSecretHeader: IsSecretHeader, references: References) {
  const headers = cron.headers.map(([name, value]) => {
    const isSecret = isSecretHeader(name);
    return [name, isSecret ? references.refer(cron.name, name) : value] as const;
  });
  return {
    name: cron.name,
    url: cron.url,
    cron_expression: cron.cronExpression,
    method: cron.method,
    ...(headers.length > 0 && { headers: new Map(headers) }),
    ...(cron.payload !== null && { payload: cron.payload }),
    ...(cron.callbackUrl !== null && { callback_url: cron.callbackUrl }),
    timeout_seconds: cron.timeoutSeconds,
    ...(cron.alertThreshold !== null && { alert_threshold: cron.alertThreshold }),
    ...(cron.assertions.length > 0 && { assertions: cron.assertions }),
    is_active: cron.isActive,
    ...(cron.end.endsAt !== null && { ends_at: formatUtcMinute(cron.end.endsAt) }),
    ...(cron.end.maxRuns !== null && { max_runs: cron.end.maxRuns }),
    ...(cron.tags.length > 0 && { tags: cron.tags }),
  };
}

/** Gives nothing for a window whose crons and queues were all deleted. */
function writeWindow(window: MaintenanceWindowView, state: TeamState) {
  const covers = coverOf(window, state);
  if (covers !== 'team' && covers.crons.length + covers.queues.length === 0) return [];
  return [
    {
      name: window.name,
      starts_at: writeTime(window.startsAt),
      ends_at: writeTime(window.endsAt),
      is_weekly: window.isWeekly,
      covers,
    },
  ];
}
