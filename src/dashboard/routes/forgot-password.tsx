import { data, Link } from 'react-router';
import { notFound, sentForm, services, requestContextOf } from '../context.ts';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { refuseTooMany } from '../serving/refuse-too-many.ts';
import { TextField } from '../forms/Field.tsx';
import { readText } from '../forms/read-form.ts';
import type { Route } from './+types/forgot-password.ts';

export function loader({ context }: Route.LoaderArgs) {
  const { accounts } = context.get(services).people;
  if (!accounts.takesPasswords()) notFound();
  return { sendsMail: accounts.sendsMail() };
}

export async function action({ request, context }: Route.ActionArgs) {
  const email = readText(context.get(sentForm), 'email');
  const outcome = await context
    .get(services)
    .people.accounts.requestPasswordReset({ email }, requestContextOf(request, context));
  if (outcome.kind === 'too-many') {
    const { problem, status } = refuseTooMany(outcome, context);
    return data({ isSent: false, problem }, { status });
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
