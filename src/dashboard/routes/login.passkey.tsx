import { data, Link, redirect } from 'react-router';
import { AskAuthenticator, BeginPasskey } from '../account/AskAuthenticator.tsx';
import { SignedOutNote } from '../account/SignedOutForm.tsx';
import { headersOf } from '../context.ts';
import { useFormAnswer } from '../forms/Form.tsx';
import { textIn } from '../forms/values.ts';
import { Notice } from '../parts/Notice.tsx';
import { notFound, openPublic } from '../serving/open.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/login.passkey.ts';

export function loader({ url, context }: Route.LoaderArgs) {
  const next = readNext(url.searchParams.get('next'));
  if (openPublic(context).session) throw redirect(next);
  return { next };
}

/** The first request gets the options, the second sends the answer. */
export async function action({ context }: Route.ActionArgs) {
  const { accounts, fields, form, intent, requestContext, fail, enter, reject } =
    openPublic(context);
  const next = readNext(form.get('next'));
  if (intent === 'begin') {
    const asked = await accounts.beginPasskeySignIn(requestContext);
    if (asked.kind === 'not-found') return notFound();
    if (asked.kind === 'too-many') return reject(asked);
    const headers = headersOf(asked.setCookies);
    return data({ values: { next }, options: asked.options }, { headers });
  }
  const outcome = await accounts.signInByPasskey(fields('answer'), requestContext);
  if (outcome.kind === 'signed-in' || outcome.kind === 'too-many') return enter(outcome, next);
  return fail(
    'No account here has this passkey, or too much time went by. Try again, or sign in with email and password.',
  );
}

export default function LoginByPasskey({ loaderData }: Route.ComponentProps) {
  const { options, problem, values = {} } = useFormAnswer<{ options: string }>();
  const next = readNext(textIn(values, 'next') ?? loaderData.next);
  return (
    <>
      <SignedOutNote title="Sign in with a passkey" />
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
