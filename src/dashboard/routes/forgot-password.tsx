import { openPublic } from '../serving/open.ts';
import { data, Link } from 'react-router';
import { notFound } from '../context.ts';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { TextField } from '../forms/Field.tsx';
import { readText } from '../forms/read-form.ts';
import type { Route } from './+types/forgot-password.ts';

export function loader({ context }: Route.LoaderArgs) {
  const { accounts } = openPublic(context);
  if (!accounts.takesPasswords()) notFound();
  return { sendsMail: accounts.sendsMail() };
}

export async function action({ context }: Route.ActionArgs) {
  const { form, accounts, requestContext, tooMany } = openPublic(context);
  const email = readText(form, 'email');
  const outcome = await accounts.requestPasswordReset({ email }, requestContext);
  if (outcome.kind === 'too-many') {
    return tooMany(outcome, { isSent: false });
  }
  return data({ isSent: true, problem: undefined });
}

export default function ForgotPassword({ loaderData, actionData }: Route.ComponentProps) {
  const where = loaderData.sendsMail
    ? 'If an account has this email, a link to set a new password is on its way. It works once, for an hour.'
    : 'If an account has this email, a link to set a new password is now in the log of the service: mail is not set up here, so ask its operator for it.';
  if (actionData?.isSent) {
    return (
      <SignedOutForm
        title="Look for the link"
        note={where}
        word={null}
        below={<Link to="/login">Back to sign in</Link>}
      />
    );
  }
  return (
    <SignedOutForm
      title="Reset the password"
      note="We send a link with which to set a new one."
      word="Send link"
      problem={actionData?.problem}
      below={<Link to="/login">Back to sign in</Link>}
    >
      <TextField name="email" label="Email" type="email" autoComplete="username" required />
    </SignedOutForm>
  );
}
