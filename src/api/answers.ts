import { escapeHtml } from '#domain/base/escape-html';
import { escapeJsonAnswer } from '#domain/json/text';
import type { FieldError } from '#work/fields';
import type { Hit } from './rate-limiter.ts';

export type AnswerHeaders = Record<string, string>;

/** `/` as `\/`, non-ASCII as `\uXXXX` (§1.2). */
export function answerJson(status: number, body: unknown, headers: AnswerHeaders): Response {
  return new Response(escapeJsonAnswer(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** The fixed error responses of the API (§7). */
export const FIXED_ANSWERS = {
  notFound: [404, { message: 'Not Found' }],
  methodNotAllowed: [405, { message: 'Method Not Allowed' }],
  timedOut: [408, { message: 'Request Timeout' }],
  tooLarge: [413, { message: 'Payload Too Large' }],
  tooMany: [429, { message: 'Too Many Attempts.' }],
  tokenMissing: [401, { error: 'Missing authorization token' }],
  tokenInvalid: [401, { error: 'Invalid webhook token' }],
  viewOnly: [403, { error: 'Viewers of a team cannot create anything in it' }],
  serverError: [500, { message: 'Server Error' }],
  unavailable: [503, { message: 'Service Unavailable' }],
} as const;

export function answerText(which: keyof typeof FIXED_ANSWERS, headers: AnswerHeaders): Response {
  const [status, body] = FIXED_ANSWERS[which];
  return answerJson(status, body, headers);
}

/** A rejection also has the time to wait (§8.1). */
export function describeRate(hit: Hit | null, nowMs: number): AnswerHeaders {
  if (hit === null) return {};
  const counts = {
    'X-RateLimit-Limit': String(hit.limit),
    'X-RateLimit-Remaining': String(hit.remaining),
  };
  if (hit.allowed) return counts;
  const seconds = Math.max(1, Math.ceil((hit.resetAtMs - nowMs) / 1000));
  return {
    'Retry-After': String(seconds),
    ...counts,
    'X-RateLimit-Reset': String(Math.ceil(hit.resetAtMs / 1000)),
  };
}

/** The first message with a count of the rest, and all by field (§7). */
export function answerInvalid(errors: readonly FieldError[], headers: AnswerHeaders): Response {
  const body = { message: summarizeErrors(errors), errors: Object.fromEntries(errors) };
  return answerJson(422, body, headers);
}

function summarizeErrors(errors: readonly FieldError[]): string {
  const [first = '', ...rest] = errors.flatMap(([, messages]) => messages);
  if (rest.length === 0) return first;
  return `${first} (and ${rest.length} more ${rest.length === 1 ? 'error' : 'errors'})`;
}

/** Without the error (§4.6). */
export function answerRedirect(startPage: string, headers: AnswerHeaders): Response {
  const address = escapeHtml(startPage);
  const html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Redirecting</title></head>
<body><p>Redirecting to <a href="${address}">${address}</a>.</p></body></html>
`;
  const type = { 'Content-Type': 'text/html; charset=utf-8' };
  return new Response(html, { status: 302, headers: { ...type, Location: startPage, ...headers } });
}
