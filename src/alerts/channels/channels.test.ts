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
  describe(`a post to ${kind}`, () => {
    test(`a ${kind} post equals its expected JSON with escaped markup`, () => {
      const file = new URL(`./expected/${kind}.json`, import.meta.url);
      const expected = JSON.parse(readFileSync(file, 'utf8')) as unknown;
      const [post, ...more] = JSON.parse(postOf()) as { body: unknown }[];
      assert.deepEqual(kind in SERVICES ? [post, ...more] : post?.body, expected);
    });

    test('a post to a channel leaves out the response if there is none', () => {
      const post = postOf({ excerpt: null });
      assert.ok(!post.includes('second'));
      assert.ok(!post.includes('null,null'));
      assert.ok(post.includes(SAMPLE_MESSAGE.link.url));
    });

    test(`a ${kind} post cuts a long title to the limit`, () => {
      const post = postOf({ title: '*'.repeat(400) });
      assert.ok(post.length < 4500);
    });
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

  test("PagerDuty gets the cron's key for an incident and its recovery", () => {
    assert.deepEqual(eventsOf({}), [`trigger ${key}`]);
    assert.deepEqual(eventsOf({ level: 'warning' }), [`trigger ${key}`]);
    assert.deepEqual(eventsOf({ level: 'recovery' }), [`resolve ${key}`]);
  });
  test('PagerDuty gets one event for each cron of a notification', () => {
    const subjects = [...details.subjects, { kind: 'cron', id: 'other', name: 'Other' } as const];
    const events = eventsOf({ details: { ...details, subjects } });
    assert.deepEqual(events, [`trigger ${key}`, 'trigger belfry-cron-other']);
  });
  test('PagerDuty gets the resolution of its test incident', () => {
    const events = eventsOf({ level: 'test', details: null });
    assert.deepEqual(
      events.map((event) => event.split(' ')[0]),
      ['trigger', 'resolve'],
    );
    assert.equal(new Set(events.map((event) => event.split(' ')[1])).size, 1);
  });
});

describe('a mail', () => {
  const mail = formatMail(SAMPLE_MESSAGE);

  test('the subject of an email names the source, and the body the team', () => {
    assert.equal(mail.subject, SAMPLE_MESSAGE.title);
    assert.ok(mail.text.includes('R&D <ops>'));
  });
  test('an email contains the facts, the start of the response and the link as text', () => {
    assert.ok(mail.text.includes('Status: HTTP 503\nReason: _http_ server <error> & `more`\n'));
    assert.ok(mail.text.includes('The response began:\n\n{"error": "<b>no</b>'));
    assert.ok(mail.text.endsWith(`Open the run: ${SAMPLE_MESSAGE.link.url}\n`));
  });
  test('an email escapes everything in its HTML part', () => {
    assert.ok(mail.html.includes('&lt;b&gt;no&lt;/b&gt; &amp;'));
    assert.doesNotMatch(mail.html, /<b>|<ops>|<error>|<!channel>/);
    assert.ok(mail.html.includes(`href="${SAMPLE_MESSAGE.link.url}"`));
  });
});

test('a text is cut at whole characters, and only where it is too long', () => {
  assert.equal(cut('abc', 3), 'abc');
  assert.equal(cut('abcd', 3), 'ab…');
  assert.equal(cut('🔔🔔🔔', 3), '🔔🔔🔔');
  assert.equal(cut('🔔🔔🔔🔔', 3), '🔔🔔…');
});
