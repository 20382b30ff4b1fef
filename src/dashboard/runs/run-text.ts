/** The long texts of a run: what is too long for its page is loaded when it is asked for. */
import { data } from 'react-router';
import type { RunDetail } from '../services.ts';

/** Longer commands are not part of the page. */
const mostInline = 16_384;
/** A payload has at most a megabyte; escaped twice, as in a command, it is still within this. */
const mostSent = 8 * 1024 * 1024;

/** A run as its page holds it: commands that are long are null there. */
export type PageRun = Omit<RunDetail, 'curl' | 'apiCall'> & {
  curl: string | null;
  apiCall: string | null;
};

const mostOfAnswer = 200;

/** The first characters of an answer on one line, for where a failure is told. */
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

/** What the route of texts is asked with, and what goes with it. */
export const readTextOptions = (search: URLSearchParams) => ({
  showSecrets: search.get('secrets') === 'shown',
  isWhole: true,
});
