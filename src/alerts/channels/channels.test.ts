import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHANNEL_KINDS, type PostedKind } from '#domain/notification-channel';
import { SAMPLE_MESSAGE } from '#testing/alert-message';
import { formatMail } from './email/email.ts';
import { cut, type Message } from './message.ts';
import { CHAT_FORMATS } from './registry.ts';

const kinds = Object.keys(CHANNEL_KINDS) as PostedKind[];

function postOf(kind: PostedKind, change: Partial<Message> = {}) {
  return JSON.stringify(CHAT_FORMATS[kind].formatPost({ ...SAMPLE_MESSAGE, ...change }));
}

for (const kind of kinds) {
  describe(`a post to ${kind}`, () => {
    test('is what stands in expected.json, its markup escaped', () => {
      const file = new URL(`./${kind}/expected.json`, import.meta.url);
      const expected = JSON.parse(readFileSync(file, 'utf8')) as unknown;
      assert.deepEqual(JSON.parse(postOf(kind)), expected);
    });

    test('leaves out a response that there is none of', () => {
      const post = postOf(kind, { excerpt: null });
      assert.ok(!post.includes('second'));
      assert.ok(!post.includes('null,null'));
      assert.ok(post.includes(SAMPLE_MESSAGE.link.url));
    });

    test('has the title within what a title may hold, however long the name', () => {
      const post = postOf(kind, { title: '*'.repeat(400) });
      assert.ok(post.length < 4000);
    });
  });
}

test("Slack's header holds what it may, escapes included, and no half of one", () => {
  for (const title of ['&'.repeat(400), `${'x'.repeat(147)}<!channel>`, '🔔&'.repeat(80)]) {
    const { blocks } = CHAT_FORMATS.slack.formatPost({ ...SAMPLE_MESSAGE, title }) as {
      blocks: { text: { text: string } }[];
    };
    const header = blocks[0]?.text.text ?? '';
    assert.ok(header.length <= 150, `${header.length} characters`);
    assert.doesNotMatch(header, /&(?!amp;|lt;|gt;)|[<>]/);
    assert.ok(header.isWellFormed() && header.endsWith('…'));
  }
});

describe('no text from outside', () => {
  test('calls a channel or links anywhere in Slack', () => {
    assert.doesNotMatch(postOf('slack'), /<!|<b>|<ops/);
  });
  test('pings or ends the code block in Discord', () => {
    assert.match(postOf('discord'), /"allowed_mentions":\{"parse":\[\]\}/);
    assert.equal(postOf('discord').split('```').length - 1, 2);
    assert.doesNotMatch(postOf('discord'), /[^\\]\[x\]/);
  });
  test('stands where Microsoft Teams reads Markdown', () => {
    assert.doesNotMatch(postOf('teams'), /"TextBlock"|"FactSet"/);
  });
  test('is HTML in Google Chat', () => {
    assert.doesNotMatch(
      postOf('google-chat', { title: '<i>', excerpt: '<i>' }),
      /(?<!fallbackText":")<i>/,
    );
    assert.ok(postOf('google-chat').includes('&lt;b&gt;no&lt;/b&gt;'));
  });
});

describe('a mail', () => {
  const mail = formatMail(SAMPLE_MESSAGE);

  test('says in its subject what, and not which team, which stands inside', () => {
    assert.equal(mail.subject, SAMPLE_MESSAGE.title);
    assert.ok(mail.text.includes('R&D <ops>'));
  });
  test('holds the facts, the start of the response and the link as text', () => {
    assert.ok(mail.text.includes('Status: HTTP 503\nReason: _http_ server <error> & `more`\n'));
    assert.ok(mail.text.includes('The response began:\n\n{"error": "<b>no</b>'));
    assert.ok(mail.text.endsWith(`Open the run: ${SAMPLE_MESSAGE.link.url}\n`));
  });
  test('escapes everything in its page', () => {
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
