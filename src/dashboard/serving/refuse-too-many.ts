import { requestFacts, type Context } from '../context.ts';
import { describeTooMany } from './too-many.ts';
import type { TooMany } from '../services.ts';

/** The message for a form that has to wait, and the response's status: 429, or 503 if the service is overloaded. */
export function refuseTooMany(
  outcome: TooMany,
  context: Context,
): { problem: string; status: 429 | 503 } {
  const { answerHeaders } = context.get(requestFacts);
  answerHeaders.set('Retry-After', String(outcome.retryAfterSeconds));
  return { problem: describeTooMany(outcome), status: outcome.isBusy ? 503 : 429 };
}
