import { Link } from 'react-router';
import { EmailField, SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { useFormAnswer } from '../forms/Form.tsx';
import { notFound, openPublic } from '../serving/open.ts';
import type { Route } from './+types/forgot-password.ts';

export function loader({ context }: Route.LoaderArgs) {
  const { accounts } = openPublic(context);
  if (!accounts.takesPasswords()) notFound();
  return { sendsMail: accounts.sendsMail() };
}

export async function action({ context }: Route.ActionArgs) {
  const { accounts, field, requestContext, show, reject } = openPublic(context);
  const email = field('email');
  const outcome = await accounts.requestPasswordReset({ email }, requestContext);
  return outcome.kind === 'too-many' ? reject(outcome) : show({ isSent: true });
}

export default function ForgotPassword({ loaderData }: Route.ComponentProps) {
  const { isSent } = useFormAnswer<{ isSent: boolean }>();
  const below = <Link to="/login">Back to sign in</Link>;
  if (isSent) {
    const note = loaderData.sendsMail
      ? 'If an account has this email, a link to set a new password is on its way. It works once, for an hour.'
      : 'If an account has this email, a link to set a new password is now in the log of the service, because no mail server is set up. Get it from the operator.';
    return <SignedOutNote title="Look for the link" note={note} below={below} />;
  }
  return (
    <SignedOutForm
      title="Reset the password"
      note="We send you a link to set a new password."
      word="Send link"
      below={below}
    >
      <EmailField autoFocus />
    </SignedOutForm>
  );
}
