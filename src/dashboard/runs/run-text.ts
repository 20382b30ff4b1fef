/** Loaded on demand. */
import { hasMask } from '#domain/runs/masking';
import type { RunDetail, TestRunOutcome } from '../services.ts';

const mostInline = 16_384;

/** Long commands are null. */
export type PageRun = Omit<RunDetail, 'curl' | 'apiCall'> & {
  curl: string | null;
  apiCall: string | null;
  /** Whether values of fields are hidden. */
  isMasked: boolean;
};

const mostOfAnswer = 200;

/** On one line, shown with a failure. */
export function startOfAnswer(body: string): string {
  const characters = Array.from(body.replaceAll(/\s+/g, ' ').trim());
  const start = characters.slice(0, mostOfAnswer).join('');
  return characters.length > mostOfAnswer ? `${start}…` : start;
}

export function leaveOutLongTexts<Run extends RunDetail>(
  run: Run,
): Omit<Run, 'curl' | 'apiCall'> & PageRun {
  const short = (text: string) => (text.length > mostInline ? null : text);
  const texts = { curl: short(run.curl), apiCall: short(run.apiCall) };
  return { ...run, ...texts, isMasked: hasMask(run) };
}

export type ShownTest = ReturnType<typeof shortenTest>;

export function shortenTest(outcome: TestRunOutcome) {
  return outcome.kind === 'test' ? leaveOutLongTexts(outcome) : outcome;
}

export const textParts = {
  body: ({ request }: RunDetail) => request.bodyText ?? '',
  curl: ({ curl }: RunDetail) => curl,
  call: ({ apiCall }: RunDetail) => apiCall,
};
export type RunTextPart = keyof typeof textParts;
