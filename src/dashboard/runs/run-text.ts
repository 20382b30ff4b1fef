/** The long texts of a run, which are not part of its page but loaded on demand. */
import { data } from 'react-router';
import type { RunDetail } from '../services.ts';

/** The longest command that is part of the page, in characters. */
const mostInline = 16_384;
/** The longest text that is sent. A payload of the maximum size stays below it, even escaped twice as in a command. */
const mostSent = 8 * 1024 * 1024;

/** A run as its page holds it: commands that are long are null there. */
export type PageRun = Omit<RunDetail, 'curl' | 'apiCall'> & {
  curl: string | null;
  apiCall: string | null;
};

const mostOfAnswer = 200;

/** The first characters of a response on one line, to be shown beside a failure. */
export function startOfAnswer(body: string): string {
  const characters = Array.from(body.replaceAll(/\s+/g, ' ').trim());
  const start = characters.slice(0, mostOfAnswer).join('');
  return characters.length > mostOfAnswer ? `${start}…` : start;
}

export function leaveOutLongTexts<Run extends RunDetail>(
  run: Run,
): Omit<Run, 'curl' | 'apiCall'> & PageRun {
  const short = (text: string) => (text.length > mostInline ? null : text);
  return { ...run, curl: short(run.curl), apiCall: short(run.apiCall) };
}

const parts = {
  body: ({ request }: RunDetail) => request.bodyText ?? '',
  curl: ({ curl }: RunDetail) => curl,
  call: ({ apiCall }: RunDetail) => apiCall,
};
export type RunTextPart = keyof typeof parts;

/** One text of a run, plain and whole: `?part=body`, `curl` or `call`. */
export function answerRunText(run: RunDetail, search: URLSearchParams): Response {
  const part = search.get('part') ?? '';
  if (!Object.hasOwn(parts, part)) throw data(null, { status: 404 });
  return new Response(parts[part as RunTextPart](run).slice(0, mostSent), {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}

/** The options of the request for a text. */
export const readTextOptions = (search: URLSearchParams) => ({
  showSecrets: search.get('secrets') === 'shown',
  isWhole: true,
});
