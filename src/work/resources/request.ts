import { formatMillis } from '#domain/base/instant';
import { HTTP_METHODS, type HttpMethod } from '#domain/http/exchange';
import { LIMITS, rangeOf } from '#domain/base/limits';
import { MOST_TAGS, readTag, TAG_CHARACTERS } from '#domain/team/tags';
import { boolean, choice, instant, integer, url } from './kinds.ts';
import { assertions, headers, type WordRule, words } from './list-kinds.ts';

/** Fields shared by crons, jobs and queues. */

export const targetUrl = () =>
  url('url', {
    missing: 'A target URL is required.',
    wrong: 'The target URL must be a valid URL.',
    about: 'The target URL. It must be publicly reachable when the run starts.',
    option: { flags: '--url <U>', help: 'where its requests go' },
    activity: ['URL', 'name'],
  });

export const method = (initial: HttpMethod) =>
  choice('method', {
    words: HTTP_METHODS,
    wrong: `The method must be one of: ${HTTP_METHODS.join(', ')}.`,
    initial,
    isAlwaysWritten: true,
    option: { flags: '--method <M>', help: 'GET, POST, PUT, PATCH or DELETE' },
    activity: ['method', 'value'],
  });

export const sentHeaders = () =>
  headers('headers', {
    about: `Header names and their values, ${LIMITS.headerBytes} bytes together at most. Headers that frame the connection cannot be set.`,
    option: {
      flags: '--header <H>',
      help: 'a header such as "X-Team: mails", or - for the lines of standard input; may be repeated',
      none: 'send no headers of its own',
    },
    record: () => ({}),
    activity: ['headers', 'name'],
  });

export const callbackUrl = (about: string, help: string) =>
  url('callback_url', {
    about,
    option: { flags: '--callback-url <U>', help, none: 'send no callbacks' },
    activity: ['callback URL', 'name'],
  });

/** @param what  a run or an attempt */
export const timeout = (what: string) =>
  integer('timeout_seconds', {
    ...LIMITS.timeoutSeconds,
    tooSmall: `Timeout must be at least ${LIMITS.timeoutSeconds.least} second.`,
    tooLarge: `Timeout cannot exceed ${LIMITS.timeoutSeconds.most} seconds (${LIMITS.timeoutSeconds.most / 60} minutes).`,
    isAlwaysWritten: true,
    option: {
      flags: '--timeout <S>',
      help: `seconds that ${what} may take, ${rangeOf(LIMITS.timeoutSeconds)}`,
    },
    activity: ['timeout', 'value'],
  });

export const successAssertions = () =>
  assertions('assertions', {
    option: { flags: '--assert <JSON>', help: 'success assertions' },
    activity: ['assertions', 'name'],
  });

export const keepsResponseBody = () =>
  boolean('keep_response_body', {
    initial: true,
    option: {
      flags: '--keep-response-body <SWITCH>',
      help: 'whether the bodies of responses are stored',
      choices: ['on', 'off'],
    },
    activity: ['keep response bodies', 'value'],
  });

const TAG_RULE: WordRule = {
  most: MOST_TAGS,
  read: readTag,
  texts: {
    notAList: 'Tags must be a list of words.',
    tooMany: `There can be at most ${MOST_TAGS} tags.`,
    wrong: (word) =>
      `${JSON.stringify(word.slice(0, 2 * TAG_CHARACTERS))} can be no tag: up to ${TAG_CHARACTERS} letters, digits and . _ : / -, a letter or digit first.`,
  },
};

export function readOneTag(text: string): { tag: string } | { error: string } {
  const tag = readTag(text);
  return tag === null ? { error: TAG_RULE.texts.wrong(text) } : { tag };
}

export const tagList = () =>
  words('tags', TAG_RULE, {
    option: {
      flags: '--tag <TAG>',
      help: 'a tag; may be repeated. Those given replace all',
      none: 'remove all tags',
    },
    activity: ['tags', 'value'],
  });

export const pausedUntil = () =>
  instant('paused_until', {
    wrong: 'The end of the pause must be a date and a time in UTC, such as 2026-12-31 18:00.',
    option: {
      flags: '--pause-until <TIME>',
      help: 'pause it until then, in UTC such as "2026-12-31 18:00"',
      none: 'if it is paused, do not end the pause by itself',
    },
    record: (paused_until) => ({ paused_until: formatMillis(paused_until) }),
    activity: ['paused until', 'value'],
  });
