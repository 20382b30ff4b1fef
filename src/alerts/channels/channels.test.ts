import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { ChatKind, PostedChannel, PostedKind } from '#domain/alerts/notification-channel';
import { SAMPLE_MESSAGE } from '#testing/alert-message';
import { formatMail } from './email.ts';
import { cut } from '#domain/base/text-length';
import type { Message } from './message.ts';
import { CHAT_FORMATS, postsOf } from './registry.ts';

const url = 'https://hooks.example/s3cret';

/** One channel of each kind except the chats, which all have the same settings. */
const SERVICES: Record<Exclude<PostedKind, ChatKind>, PostedChannel> = {
  webhook: { kind: 'webhook', url },
  ntfy: { kind: 'ntfy', url: 'https://ntfy.example/our-topic', token: 'tk_s3cret' },
  telegram: { kind: 'telegram', token: '110:s3cret', chat_id: '-100123' },
  pagerduty: { kind: 'pagerduty', routing_key: 'R0UT1NGK3Y' },
};
const chats = (Object.keys(CHAT_FORMATS) as ChatKind[]).map((kind) => ({ kind, url }));
const kinds: PostedChannel[] = [...chats, ...Object.values(SERVICES)];

function postsTo(channel: PostedChannel, change: Partial<Message> = {}) {
  return postsOf(channel, { ...SAMPLE_MESSAGE, ...change });
}

for (const channel of kinds) {
  const { kind } = channel;
  const postOf = (change: Partial<Message> = {}) => JSON.stringify(postsTo(channel, change));
  test(`a ${kind} post equals its expected JSON, leaves out a missing response and cuts a title`, () => {
    const file = new URL(`./expected/${kind}.json`, import.meta.url);
    const expected = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    const posts = JSON.parse(postOf()) as { body: unknown }[];
    assert.deepEqual(kind in SERVICES ? posts : posts[0]?.body, expected);
    const post = postOf({ excerpt: null });
    assert.ok(!post.includes('second') && !post.includes('null,null'));
    assert.ok(post.includes(SAMPLE_MESSAGE.link.url));
    assert.ok(postOf({ title: '*'.repeat(400) }).length < 4500);
  });
}

test("Slack's header is cut to its limit without splitting an escape", () => {
  for (const title of ['&'.repeat(400), `${'x'.repeat(147)}<!channel>`, '🔔&'.repeat(80)]) {
    const { blocks } = CHAT_FORMATS.slack({ ...SAMPLE_MESSAGE, title }) as {
      blocks: { text: { text: string } }[];
    };
    const header = blocks[0]?.text.text ?? '';
    assert.ok(header.length <= 150, `${header.length} characters`);
    assert.doesNotMatch(header, /&(?!amp;|lt;|gt;)|[<>]/);
    assert.ok(header.isWellFormed() && header.endsWith('…'));
  }
});

describe('PagerDuty', () => {
  const eventsOf = (change: Partial<Message>) =>
    postsTo(SERVICES.pagerduty, change).map(({ body }) => {
      const { event_action, dedup_key } = body as Record<string, string>;
      return `${event_action} ${dedup_key}`;
    });
  const { details } = SAMPLE_MESSAGE;
  assert.ok(details);
  const key = 'belfry-cron-019a0000-0000-7000-8000-00000000000c';

  test("PagerDuty gets each cron's key for an incident and its recovery", () => {
    assert.deepEqual(eventsOf({}), [`trigger ${key}`]);
    assert.deepEqual(eventsOf({ level: 'warning' }), [`trigger ${key}`]);
    assert.deepEqual(eventsOf({ level: 'recovery' }), [`resolve ${key}`]);
    const subjects = [...details.subjects, { kind: 'cron', id: 'other', name: 'Other' } as const];
    const events = eventsOf({ details: { ...details, subjects } });
    assert.deepEqual(events, [`trigger ${key}`, 'trigger belfry-cron-other']);
  });
  test('PagerDuty gets the resolution of its test incident', () => {
    const events = eventsOf({ level: 'test', details: null });
    const key = events[0]?.split(' ')[1];
    assert.deepEqual(events, [`trigger ${key}`, `resolve ${key}`]);
  });
});

test('an email has the facts, the start of the response and the link, escaped in its HTML part', () => {
  const { subject, text, html } = formatMail(SAMPLE_MESSAGE);
  assert.equal(subject, SAMPLE_MESSAGE.title);
  assert.ok(text.includes('R&D <ops>'));
  assert.ok(text.includes('Status: HTTP 503\nReason: _http_ server <error> & `more`\n'));
  assert.ok(text.includes('The response began:\n\n{"error": "<b>no</b>'));
  assert.ok(text.endsWith(`Open the run: ${SAMPLE_MESSAGE.link.url}\n`));
  assert.ok(html.includes('&lt;b&gt;no&lt;/b&gt; &amp;'));
  assert.doesNotMatch(html, /<b>|<ops>|<error>|<!channel>/);
  assert.ok(html.includes(`href="${SAMPLE_MESSAGE.link.url}"`));
});

test('a text is cut at whole characters, and only where it is too long', () => {
  const texts = ['abc', 'abcd', '🔔🔔🔔', '🔔🔔🔔🔔'];
  assert.deepEqual(
    texts.map((text) => cut(text, 3)),
    ['abc', 'ab…', '🔔🔔🔔', '🔔🔔…'],
  );
});
