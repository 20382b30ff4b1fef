import type { Message } from './message.ts';
import type { PostsFormat } from './post.ts';

/** Signed (§5.6); docs/alerts.md lists the fields. */
export const webhook: PostsFormat<'webhook'> = (message, { url }) => [
  { url, body: bodyOf(message), isSigned: true },
];

function bodyOf(message: Message): object {
  const { level, teamId, teamName, title, runbook, details, excerpt, link, parts } = message;
  const team = { id: teamId, name: teamName };
  if (parts.length > 0) {
    const id = parts[0]?.details?.notificationId ?? null;
    return { type: 'digest', id, title, team, alerts: parts.map(bodyOf), url: link.url };
  }
  if (details === null) return { type: 'test', title, team, url: link.url };
  const [source = null] = details.subjects;
  return {
    type: 'alert',
    id: details.notificationId,
    level,
    kind: details.kind,
    title,
    team,
    source,
    sources: details.subjects,
    count: details.alertCount,
    run_id: details.runId,
    raised_at: new Date(details.raisedAt).toISOString(),
    attempt_number: details.attemptNumber,
    response_status: details.responseStatus,
    reason: details.reason,
    error_message: details.errorMessage,
    failed_runs: details.failedRuns,
    down_ms: details.downMs,
    response_excerpt: excerpt,
    note: details.note,
    runbook_url: runbook?.url ?? null,
    url: link.url,
  };
}
