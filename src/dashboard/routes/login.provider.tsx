import { data, Link, redirect } from 'react-router';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { SignedOutNote } from '../account/SignedOutForm.tsx';
import { explainProviderRefusal } from '../account/provider-refusals.ts';
import { headersOf, redirectWithCookies } from '../context.ts';
import { Notice } from '../parts/Notice.tsx';
import { isLedByOthers } from '../serving/form-guards.ts';
import { notFound, openPublic, refuseTooMany } from '../serving/open.ts';
import { readNext, signInPath } from '../serving/own-path.ts';
import type { Route } from './+types/login.provider.ts';

/**
 * The provider may recognize the browser without a prompt, so a link from another site shows the sign-in page first.
 */
export async function loader({ request, url, pattern, context }: Route.LoaderArgs) {
  const { accounts, session, requestContext } = openPublic(context);
  const isBack = pattern.endsWith('/back');
  const next = readNext(url.searchParams.get('next'));
  const asked = { next, isAgain: url.searchParams.has('again') };
  if (!isBack && isLedByOthers(request.headers)) throw redirect(signInPath(next));
  const outcome = await (isBack
    ? accounts.finishProviderSignIn(url.search, requestContext)
    : accounts.beginProviderSignIn(asked, requestContext));
  if (outcome.kind === 'not-found') return notFound();
  // An address that is not ours and that no request names.
  if (outcome.kind === 'begun') throw redirectWithCookies(outcome.url, outcome.setCookies);
  if (outcome.kind === 'signed-in') throw redirectWithCookies(outcome.next, outcome.setCookies);
  const name = accounts.providerName() ?? '';
  if (outcome.kind === 'too-many') {
    const { problem, status } = refuseTooMany(outcome, context);
    return data({ problem, name }, { status });
  }
  // Another tab has finished first.
  if (session && outcome.next !== null) throw redirectWithCookies(outcome.next, outcome.setCookies);
  return data(
    { problem: explainProviderRefusal(outcome.why, name), name },
    { status: outcome.why === 'away' ? 503 : 403, headers: headersOf(outcome.setCookies) },
  );
}

export default function LoginByProvider({ loaderData: { problem, name } }: Route.ComponentProps) {
  return (
    <>
      <SignedOutNote title="Not signed in" />
      <Notice kind="failed">{problem}</Notice>
      <ProviderLink name={name} next="/" word={`Begin again with ${name}`} />
      <p>
        <Link to="/login">Other ways to sign in</Link>
      </p>
    </>
  );
}
