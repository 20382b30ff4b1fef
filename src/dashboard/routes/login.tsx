import { Link, redirect } from 'react-router';
import { BeginPasskey } from '../account/AskAuthenticator.tsx';
import { proxyRefusals } from '../account/provider-refusals.ts';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { EmailField, SignedOutForm } from '../account/SignedOutForm.tsx';
import { proxyRefusal, redirectWithCookies } from '../context.ts';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Notice } from '../parts/Notice.tsx';
import { openPublic } from '../serving/open.ts';
import { readNext } from '../serving/own-path.ts';
import type { ProxyRefusal } from '../services.ts';
import type { Route } from './+types/login.ts';

export async function loader({ url, context }: Route.LoaderArgs) {
  const { accounts, session } = openPublic(context);
  const next = readNext(url.searchParams.get('next'));
  if (session) throw redirect(next);
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  return {
    next,
    mayRegister: accounts.mayRegister(),
    offersPasskeys: accounts.offersPasskeys(),
    provider: accounts.providerName(),
    takesPasswords: accounts.takesPasswords(),
    proxyProblem: accounts.hasProxy() ? explainProxy(context.get(proxyRefusal)) : null,
  };
}

/** A proxy signs people in before this page, so something prevented it. */
function explainProxy(refusal: ProxyRefusal | null): string {
  if (refusal !== null) return proxyRefusals[refusal];
  return 'You sign in by the proxy in front of Belfry, but this request has no name from the proxy. Open Belfry at its public address.';
}

export async function action({ context }: Route.ActionArgs) {
  const { accounts, fields, form, requestContext, fail, enter } = openPublic(context);
  const next = readNext(form.get('next'));
  const outcome = await accounts.signIn(fields('email', 'password'), requestContext);
  if (outcome.kind === 'wrong')
    return fail('No account has this email and password. Check both, or reset the password.');
  if (outcome.kind !== 'second-factor') return enter(outcome, next);
  return redirectWithCookies(`/login/code?next=${encodeURIComponent(next)}`, outcome.setCookies);
}

export default function Login({ loaderData }: Route.ComponentProps) {
  const { provider, takesPasswords, next, proxyProblem } = loaderData;
  const isRefused = !takesPasswords && proxyProblem !== null;
  return (
    <>
      <SignedOutForm
        title={isRefused ? 'Not signed in' : 'Sign in'}
        note={takesPasswords ? proxyProblem : null}
        word={takesPasswords ? 'Sign in' : null}
        fields={{ next }}
        below={
          takesPasswords ? (
            <>
              <Link to="/forgot-password">Forgot the password?</Link>
              {loaderData.mayRegister ? <Link to="/register">Create an account</Link> : null}
            </>
          ) : null
        }
      >
        <EmailField autoFocus />
        <CurrentPasswordField />
      </SignedOutForm>
      {isRefused ? <Notice kind="failed">{proxyProblem}</Notice> : null}
      {provider === null || isRefused ? null : <ProviderLink name={provider} next={next} />}
      {loaderData.offersPasskeys && takesPasswords ? (
        <BeginPasskey next={next} word="Sign in with a passkey" />
      ) : null}
    </>
  );
}
