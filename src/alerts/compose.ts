import { type AlertSettings, NOTE_CHARACTERS } from '#domain/alerts/alert-settings';
import { describeUnknown, isUnknown } from '#domain/judging/failure';
import type { StoredAlert } from '#store/alerts/alerts';
import type { ClaimedNotification } from '#store/alerts/notifications';
import { breakLinks } from '#domain/team/plain-names';
import { writeInstant } from '#domain/runs/run-search';
import { type Mask, NO_MASK } from '#domain/runs/masking';
import { type IsSecretHeader, isSecretHeader } from '#domain/http/secret-headers';
import { describeEvent, isAside, isContinued, LEVEL_NAMES } from '#domain/alerts/alert-words';
import type { Message, MessageDetails } from './channels/message.ts';
import { hideEchoes, secretsOf } from './echoes.ts';
import { excerptOf, oneLine, plainUrl } from './texts.ts';

/** Parts of the response or error that repeat the request are hidden. */
interface Notification extends Pick<
  ClaimedNotification,
  'alert' | 'alertCount' | 'subjects' | 'teamName' | 'response' | 'request'
> {
  notificationId: string;
  settings: Pick<AlertSettings, 'note' | 'runbookUrl'>;
}

const NAME_CHARACTERS = 120;
const ERROR_CHARACTERS = 300;

interface Hiding {
  isSecret?: IsSecretHeader | undefined;
  mask?: Mask;
}

type Hide = (text: string) => string;

/** Contains no payload, header or target URL; of a certificate its host. */
export function writeMessage(
  notification: Notification,
  baseUrl: string,
  { isSecret = isSecretHeader, mask = NO_MASK }: Hiding = {},
): Message {
  const { alert, alertCount, subjects, response, request } = notification;
  const secrets = request === null ? [] : secretsOf(request, isSecret);
  const hide = (text: string) => mask.hide(hideEchoes(text, secrets));
  const teamName = nameOf(notification.teamName);
  // With several crons, none applies to all.
  const { note, runbookUrl } = subjects.length > 1 ? NOTHING_SAID : notification.settings;
  return {
    level: alert.level,
    teamId: alert.teamId,
    teamName,
    title: alert.mutedBy === null ? titleOf(alert, alertCount) : titleOfEnd(alert, alertCount),
    facts: [
      ...(subjects.length > 1 ? [nameAll(notification)] : []),
      ...factsOf(alert, alertCount, hide),
      ...(note === null ? [] : [{ label: 'Note', value: oneLine(note, NOTE_CHARACTERS) }]),
      { label: 'Team', value: teamName },
    ],
    excerpt:
      alertCount === 1 && response !== null && !isAside(alert.kind)
        ? excerptOf(response, hide)
        : null,
    link: linkOf(alert, alertCount, baseUrl),
    runbook: runbookUrl === null ? null : { label: 'Open the runbook', url: plainUrl(runbookUrl) },
    details: detailsOf(notification, hide, note),
    parts: [],
  };
}

const NOTHING_SAID = { note: null, runbookUrl: null };

function detailsOf(
  { notificationId, alert, alertCount, subjects }: Notification,
  hide: Hide,
  note: string | null,
): MessageDetails {
  const errorMessage =
    alert.errorMessage === null ? null : oneLine(hide(alert.errorMessage), ERROR_CHARACTERS);
  return { ...alert, notificationId, alertCount, subjects, errorMessage, note };
}

/** One line, and no link for chats and mail programs. */
function nameOf(name: string): string {
  return breakLinks(oneLine(name, NAME_CHARACTERS));
}

export function writeTestMessage(
  { teamId, teamName }: { teamId: string; teamName: string },
  baseUrl: string,
): Message {
  const name = nameOf(teamName);
  return {
    level: 'test',
    teamId,
    teamName: name,
    title: `Test: alerts of ${name} will arrive here`,
    facts: [{ label: 'Team', value: name }],
    excerpt: null,
    link: { label: 'Open the notification settings', url: `${baseUrl}/settings/notifications` },
    runbook: null,
    details: null,
    parts: [],
  };
}

function titleOf(alert: StoredAlert, count: number): string {
  const { level, source, kind } = alert;
  const name = `“${nameOf(source.name)}”`;
  if (source.kind === 'queue' && kind === null) return queueTitle(level, name, count);
  const label = isContinued(alert) ? 'Reminder' : LEVEL_NAMES[level];
  return `${label}: ${source.kind} ${name} ${describeEvent(alert)}`;
}

/** Of crons that began to fail inside a window and still do. */
function titleOfEnd({ mutedBy, source }: StoredAlert, count: number): string {
  const window = `“${nameOf(mutedBy ?? '')}”`;
  const what = count === 1 ? `cron “${nameOf(source.name)}” fails` : `${count} crons fail`;
  return `Still failing after maintenance ${window}: ${what}`;
}

const MOST_NAMED = 10;

function nameAll({ subjects, alertCount }: Notification): { label: string; value: string } {
  const named = subjects.slice(0, MOST_NAMED);
  const names = named.map(({ name }) => nameOf(name)).join(', ');
  const more = alertCount - named.length;
  return { label: 'Crons', value: more > 0 ? `${names} and ${more} more` : names };
}

function queueTitle(level: StoredAlert['level'], name: string, count: number): string {
  if (level === 'warning') {
    return count === 1
      ? `Warning: a job of queue ${name} failed at its first attempt`
      : `Warning: ${count} jobs of queue ${name} failed at their first attempt`;
  }
  return count === 1
    ? `Failure: a job of queue ${name} was dead-lettered`
    : `Failure: ${count} jobs of queue ${name} were dead-lettered`;
}

const ASIDE_LABELS = {
  slow: 'Duration',
  certificate: 'Certificate',
  backlog: 'Now',
  failure_rate: 'Now',
};

/** With several alerts, the labels name the first. */
function factsOf(
  alert: StoredAlert,
  count: number,
  hide: Hide,
): { label: string; value: string }[] {
  const { level, attemptNumber, failedRuns, raisedAt } = alert;
  const facts = alert.runId === null ? [] : [{ label: 'Status', value: statusOf(alert) }];
  if (isAside(alert.kind)) {
    const label = ASIDE_LABELS[alert.kind];
    facts.push({ label, value: oneLine(alert.errorMessage ?? '', ERROR_CHARACTERS) });
  } else if (level !== 'recovery') facts.push({ label: 'Reason', value: reasonOf(alert, hide) });
  if (attemptNumber !== null) facts.push({ label: 'Attempt', value: String(attemptNumber) });
  if (failedRuns !== null) facts.push({ label: 'Failed in a row', value: String(failedRuns) });
  const when = new Date(raisedAt).toISOString().slice(0, 19).replace('T', ' ');
  facts.push({ label: 'When', value: `${when} UTC` });
  if (count === 1) return facts;
  return facts.map(({ label, value }) => {
    return { label: label === 'When' ? 'First at' : `${label} of the first`, value };
  });
}

function statusOf({ responseStatus }: StoredAlert): string {
  return responseStatus === null ? 'no response' : `HTTP ${responseStatus}`;
}

/** A cron's failed run has none if its status is enough (§6.3). */
function reasonOf(alert: StoredAlert, hide: Hide): string {
  const { errorMessage, reason, responseStatus } = alert;
  if (isUnknown(alert)) return describeUnknown(responseStatus);
  if (errorMessage !== null) return oneLine(hide(errorMessage), ERROR_CHARACTERS);
  return reason === null ? describeUnknown(null) : reason.replaceAll('_', ' ');
}

function linkOf(alert: StoredAlert, count: number, baseUrl: string): Message['link'] {
  const { source, runId } = alert;
  if (runId === null)
    return { label: `Open the ${source.kind}`, url: `${baseUrl}/${source.kind}s/${source.id}` };
  if (count > 1) {
    const { label, path } = listOf(alert);
    return { label, url: `${baseUrl}${path}` };
  }
  const path = source.kind === 'cron' ? 'executions' : 'jobs';
  return { label: 'Open the run', url: `${baseUrl}/${path}/${runId}` };
}

/** From the first one on. Several crons are those that still fail after a window. */
function listOf({ source, level, raisedAt }: StoredAlert): { label: string; path: string } {
  if (source.kind === 'cron')
    return { label: 'Open the failing crons', path: '/crons?status=failing' };
  const from = writeInstant(raisedAt);
  if (level === 'warning') {
    const search = new URLSearchParams({ of: `queue:${source.id}`, status: 'retried', from });
    return { label: 'Open the failed attempts', path: `/runs?${search}` };
  }
  const search = new URLSearchParams({ tab: 'failed', queue: source.id, from });
  return { label: 'Open the failed jobs', path: `/jobs?${search}` };
}
