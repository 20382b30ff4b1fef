import { openPublic, refuse } from '../serving/open.ts';
import { data, Link, redirect } from 'react-router';
import { notFound, redirectWithCookies, session } from '../context.ts';
import { readNext } from '../serving/own-path.ts';
import { AskAuthenticator } from '../account/AskAuthenticator.tsx';
import { BeginPasskey } from '../account/BeginPasskey.tsx';
import { Notice } from '../parts/Notice.tsx';
import { TabTitle } from '../page/PageHeader.tsx';
import { readText } from '../forms/read-form.ts';
import type { Route } from './+types/login.passkey.ts';

export function loader({ url, context }: Route.LoaderArgs) {
  const next = readNext(url.searchParams.get('next'));
  if (context.get(session)) throw redirect(next);
  return { next };
}

type Answer = { next: string; problem?: string; options?: string };

/** The first request gets the question for the authenticator, the second one sends its answer. */
export async function action({ context }: Route.ActionArgs) {
  const { form, accounts, intent, requestContext, tooMany } = openPublic(context);
  const next = readNext(form.get('next'));
  if (intent === 'begin') {
    const asked = await accounts.beginPasskeySignIn(requestContext);
    if (asked.kind === 'not-found') return notFound();
    if (asked.kind === 'too-many') return tooMany<Answer>(asked, { next });
    const headers = asked.setCookies.map((value): [string, string] => ['Set-Cookie', value]);
    return data<Answer>({ next, options: asked.options }, { headers });
  }
  const outcome = await accounts.signInByPasskey(
    { answer: readText(form, 'answer') },
    requestContext,
  );
  if (outcome.kind === 'signed-in') return redirectWithCookies(next, outcome.setCookies);
  if (outcome.kind === 'too-many') return tooMany<Answer>(outcome, { next });
  const problem =
    'No account here has this passkey, or too much time went by. Try again, or sign in with email and password.';
  return refuse<Answer>({ next, problem });
}

export default function LoginByPasskey({ loaderData, actionData }: Route.ComponentProps) {
  const { options, problem, next = loaderData.next } = actionData ?? {};
  return (
    <>
      <TabTitle title="Sign in with a passkey" />
      <h1>Sign in with a passkey</h1>
      {problem ? <Notice kind="failed">{problem}</Notice> : null}
      {options ? (
        <AskAuthenticator options={options} how="get" fields={{ next }}>
          <BeginPasskey next={next} word="Try again" />
        </AskAuthenticator>
      ) : (
        <BeginPasskey next={next} word="Sign in with a passkey" />
      )}
      <noscript>
        <p>Passkeys need scripts. Sign in with email and password.</p>
      </noscript>
      <p style={{ marginTop: 16 }}>
        <Link to={`/login?next=${encodeURIComponent(next)}`}>Sign in with email and password</Link>
      </p>
    </>
  );
}
