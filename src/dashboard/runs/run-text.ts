/** The long texts of a run, which are not part of its page but loaded on demand. */
import type { RunDetail, TestRunOutcome } from '../services.ts';

/** The longest command that is part of the page, in characters. */
const mostInline = 16_384;

/** A run as its page holds it: commands that are long are null there. */
export type PageRun = Omit<RunDetail, 'curl' | 'apiCall'> & {
  curl: string | null;
  apiCall: string | null;
};

const mostOfAnswer = 200;

/** The first characters of a response on one line, shown with a failure. */
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

/** The outcome of a test run as its page holds it. */
export type ShownTest = ReturnType<typeof shortenTest>;

export function shortenTest(outcome: TestRunOutcome) {
  return outcome.kind === 'test' ? leaveOutLongTexts(outcome) : outcome;
}

/** The texts that are loaded by themselves. */
export const textParts = {
  body: ({ request }: RunDetail) => request.bodyText ?? '',
  curl: ({ curl }: RunDetail) => curl,
  call: ({ apiCall }: RunDetail) => apiCall,
};
export type RunTextPart = keyof typeof textParts;
