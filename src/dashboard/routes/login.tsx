import { data, Link, redirect } from 'react-router';
import { redirectWithCookies, sentForm, services, session, requestContextOf } from '../context.ts';
import { readNext } from '../serving/cookies.ts';
import { BeginPasskey } from '../account/BeginPasskey.tsx';
import { ProviderLink } from '../account/ProviderLink.tsx';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { refuseTooMany } from '../serving/refuse-too-many.ts';
import { TextField } from '../forms/Field.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { readText } from '../forms/read-form.ts';
import type { Route } from './+types/login.ts';

export async function loader({ url, context }: Route.LoaderArgs) {
  const next = readNext(url.searchParams.get('next'));
  if (context.get(session)) throw redirect(next);
  const { accounts } = context.get(services).people;
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  return {
    next,
    mayRegister: accounts.mayRegister(),
    offersPasskeys: accounts.offersPasskeys(),
    provider: accounts.providerName(),
    takesPasswords: accounts.takesPasswords(),
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = context.get(sentForm);
  const email = readText(form, 'email');
  const next = readNext(form.get('next'));
  const { accounts } = context.get(services).people;
  const outcome = await accounts.signIn(
    { email, password: readText(form, 'password') },
    requestContextOf(request, context),
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
      const { problem, status } = refuseTooMany(outcome, context);
      return data({ problem, email }, { status });
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
  const { provider, takesPasswords, next } = loaderData;
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
