import { data, Link, redirect } from 'react-router';
import {
  notFound,
  redirectWithCookies,
  sentForm,
  services,
  session,
  requestContextOf,
} from '../context.ts';
import { readNext } from '../serving/own-path.ts';
import { AskAuthenticator } from '../account/AskAuthenticator.tsx';
import { BeginPasskey } from '../account/BeginPasskey.tsx';
import { Notice } from '../parts/Notice.tsx';
import { TabTitle } from '../page/PageHeader.tsx';
import { readText } from '../forms/read-form.ts';
import { refuseTooMany } from '../serving/refuse-too-many.ts';
import type { Route } from './+types/login.passkey.ts';

export function loader({ url, context }: Route.LoaderArgs) {
  const next = readNext(url.searchParams.get('next'));
  if (context.get(session)) throw redirect(next);
  return { next };
}

type Answer = { next: string; problem?: string; options?: string };

/** The first request gets the question for the authenticator, the second one sends its answer. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = context.get(sentForm);
  const { accounts } = context.get(services).people;
  const next = readNext(form.get('next'));
  const requestContext = requestContextOf(request, context);
  if (readText(form, 'intent') === 'begin') {
    const asked = await accounts.beginPasskeySignIn(requestContext);
    if (asked.kind === 'not-found') return notFound();
    if (asked.kind === 'too-many') return refuse(refuseTooMany(asked, context), next);
    const headers = asked.setCookies.map((value): [string, string] => ['Set-Cookie', value]);
    return data<Answer>({ next, options: asked.options }, { headers });
  }
  const outcome = await accounts.signInByPasskey(
    { answer: readText(form, 'answer') },
    requestContext,
  );
  if (outcome.kind === 'signed-in') return redirectWithCookies(next, outcome.setCookies);
  if (outcome.kind === 'too-many') return refuse(refuseTooMany(outcome, context), next);
  const problem =
    'No account here has this passkey, or too much time went by. Try again, or sign in with email and password.';
  return refuse({ problem, status: 422 }, next);
}

function refuse({ problem, status }: { problem: string; status: number }, next: string) {
  return data<Answer>({ next, problem }, { status });
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
