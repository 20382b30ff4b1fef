/** The two requests of a sign-in by the operator's provider: there, and back. */
import { openPublic, refuseTooMany } from '../serving/open.ts';
import { data, redirect } from 'react-router';
import { notFound, redirectWithCookies, type Context } from '../context.ts';
import type { Accounts } from '../services.ts';
import { explainProviderRefusal } from './provider-refusals.ts';

type Began = Awaited<ReturnType<Accounts['beginProviderSignIn']>>;
type Ended = Awaited<ReturnType<Accounts['finishProviderSignIn']>>;

/** Redirects the browser, or returns the page's text. */
export function goOn(outcome: Began | Ended, context: Context) {
  const { accounts } = openPublic(context);
  if (outcome.kind === 'not-found') return notFound();
  // To the provider: an address that is not ours and that no request names.
  if (outcome.kind === 'begun') throw withCookies(redirect(outcome.url), outcome.setCookies);
  if (outcome.kind === 'signed-in') throw redirectWithCookies(outcome.next, outcome.setCookies);
  const name = accounts.providerName() ?? '';
  if (outcome.kind === 'too-many') {
    const { problem, status } = refuseTooMany(outcome, context);
    return data({ problem, name }, { status });
  }
  const headers = outcome.setCookies.map((value): [string, string] => ['Set-Cookie', value]);
  const status = outcome.why === 'away' ? 503 : 403;
  return data({ problem: explainProviderRefusal(outcome.why, name), name }, { status, headers });
}

function withCookies(response: Response, setCookies: readonly string[]): Response {
  for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
