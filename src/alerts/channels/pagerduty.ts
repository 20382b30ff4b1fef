import { isAside } from '#domain/alerts/alert-words';
import { cut } from '#domain/base/text-length';
import type { Message, MessageDetails, Subject } from './message.ts';
import type { Post, PostsFormat } from './post.ts';
import { linksOf } from './text.ts';

const SERVER = 'https://events.pagerduty.com';
const SUMMARY_CHARACTERS = 1_000;

const SEVERITIES: Record<Exclude<Message['level'], 'recovery'>, string> = {
  warning: 'warning',
  failure: 'error',
  test: 'info',
};

/**
 * A failure or warning opens an incident, a recovery resolves it. Slow runs and a queue as a whole have deduplication
 * keys of their own. A test opens an incident and resolves it.
 */
export const pagerduty: PostsFormat<'pagerduty'> = (message, { routing_key, server = SERVER }) => {
  const post = (event: object): Post => ({
    url: `${server.replace(/\/$/, '')}/v2/enqueue`,
    body: { routing_key, ...event },
  });
  const { details, level, teamId } = message;
  if (details === null) {
    const key = `belfry-test-${teamId}`;
    return [post(trigger(message, key, 'Belfry')), post(resolve(key))];
  }
  return details.subjects.map((subject) =>
    post(
      level === 'recovery'
        ? resolve(keyOf(subject, details))
        : trigger(message, keyOf(subject, details), subject.name),
    ),
  );
};

/** They begin and end separately. */
function keyOf({ kind, id }: Subject, about: MessageDetails): string {
  return `belfry-${kind}-${id}${isAside(about.kind) ? `-${about.kind}` : ''}`;
}

function resolve(key: string) {
  return { event_action: 'resolve', dedup_key: key };
}

function trigger(message: Message, key: string, source: string) {
  const { level, title, facts, excerpt, link, details } = message;
  return {
    event_action: 'trigger',
    dedup_key: key,
    client: 'Belfry',
    client_url: link.url,
    links: linksOf(message).map(({ label, url }) => ({ href: url, text: label })),
    payload: {
      summary: cut(title, SUMMARY_CHARACTERS),
      source: cut(source, 255),
      severity: level === 'recovery' ? 'info' : SEVERITIES[level],
      ...(details && { timestamp: new Date(details.raisedAt).toISOString() }),
      custom_details: {
        ...Object.fromEntries(facts.map(({ label, value }) => [label, value])),
        ...(excerpt === null ? {} : { 'The response began': excerpt }),
      },
    },
  };
}
