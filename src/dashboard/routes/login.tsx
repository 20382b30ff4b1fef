import { openPublic } from '../serving/open.ts';
import { data, Link, redirect } from 'react-router';
import { proxyRefusal, redirectWithCookies, session } from '../context.ts';
import { readNext } from '../serving/own-path.ts';
import { BeginPasskey } from '../account/BeginPasskey.tsx';
import { explainProxyRefusal } from '../account/provider-refusals.ts';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { TextField } from '../forms/Field.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Notice } from '../parts/Notice.tsx';
import type { ProxyRefusal } from '../services.ts';
import { readText } from '../forms/read-form.ts';
import type { Route } from './+types/login.ts';

export async function loader({ url, context }: Route.LoaderArgs) {
  const next = readNext(url.searchParams.get('next'));
  if (context.get(session)) throw redirect(next);
  const { accounts } = openPublic(context);
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

/** Who comes by the proxy is signed in before this page, so here something stood in the way. */
function explainProxy(refusal: ProxyRefusal | null): string {
  if (refusal !== null) return explainProxyRefusal(refusal);
  return 'People sign in by the proxy in front of Belfry, and this request did not come from it with a name. Open Belfry at its public address.';
}

export async function action({ context }: Route.ActionArgs) {
  const { form, accounts, requestContext, tooMany } = openPublic(context);
  const email = readText(form, 'email');
  const next = readNext(form.get('next'));
  const outcome = await accounts.signIn(
    { email, password: readText(form, 'password') },
    requestContext,
  );
  switch (outcome.kind) {
    case 'signed-in':
      return redirectWithCookies(next, outcome.setCookies);
    case 'second-factor':
      return redirectWithCookies(
        `/login/code?next=${encodeURIComponent(next)}`,
        outcome.setCookies,
      );
    case 'too-many': {
      return tooMany(outcome, { email });
    }
    case 'wrong':
      return data(
        {
          problem: 'No account has this email and password. Check both, or reset the password.',
          email,
        },
        { status: 422 },
      );
  }
}

export default function Login({ loaderData, actionData }: Route.ComponentProps) {
  const { provider, takesPasswords, next, proxyProblem } = loaderData;
  if (!takesPasswords && proxyProblem !== null) {
    return (
      <>
        <SignedOutForm title="Not signed in" word={null} />
        <Notice kind="failed">{proxyProblem}</Notice>
      </>
    );
  }
  if (!takesPasswords && provider !== null) {
    return (
      <>
        <SignedOutForm title="Sign in" word={null} />
        <ProviderLink name={provider} next={next} />
      </>
    );
  }
  return (
    <>
      <SignedOutForm
        title="Sign in"
        note={proxyProblem}
        word="Sign in"
        problem={actionData?.problem}
        below={
          <>
            <Link to="/forgot-password">Forgot the password?</Link>
            {loaderData.mayRegister ? <Link to="/register">Create an account</Link> : null}
          </>
        }
      >
        <input type="hidden" name="next" value={next} />
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          required
          defaultValue={actionData?.email}
        />
        <CurrentPasswordField />
      </SignedOutForm>
      {provider === null ? null : <ProviderLink name={provider} next={next} />}
      {loaderData.offersPasskeys ? (
        <BeginPasskey next={loaderData.next} word="Sign in with a passkey" />
      ) : null}
    </>
  );
}
