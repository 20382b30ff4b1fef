/** Shared by crons and jobs. */
import { HTTP_METHODS, type HttpMethod } from '#domain/exchange';
import { LIMITS } from '#domain/limits';
import { MESSAGES } from '../messages.ts';
import { choice, url } from './kinds.ts';
import { headers } from './list-kinds.ts';

export const targetUrl = () =>
  url('url', {
    missing: MESSAGES.urlRequired,
    wrong: MESSAGES.urlInvalid,
    about: 'The target URL. It must be publicly reachable when the run starts.',
    option: { flags: '--url <U>', help: 'where its requests go' },
    activity: ['URL', 'name'],
  });

export const method = (initial: HttpMethod) =>
  choice('method', {
    words: HTTP_METHODS,
    wrong: MESSAGES.methodUnknown,
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
      help: 'a header such as "X-Team: mails"; may be repeated',
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
