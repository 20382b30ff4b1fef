import { requestFacts, type Context } from '../context.ts';
import { describeTooMany } from './too-many.ts';
import type { TooMany } from '../services.ts';

/** What a form is told that has to wait, and the answer's status: 429, or 503 where the service is to blame. */
export function refuseTooMany(
  outcome: TooMany,
  context: Context,
): { problem: string; status: 429 | 503 } {
  const { answerHeaders } = context.get(requestFacts);
  answerHeaders.set('Retry-After', String(outcome.retryAfterSeconds));
  return { problem: describeTooMany(outcome), status: outcome.isBusy ? 503 : 429 };
}
