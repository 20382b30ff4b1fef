import { Link } from 'react-router';
import { SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/confirm-email.$token.ts';

/** Needs a button: programs that scan mails open every link. */
export async function action({ params, context }: Route.ActionArgs) {
  const { accounts, fail, say } = openPublic(context);
  const outcome = await accounts.confirmEmail(params.token);
  if (outcome.kind === 'expired') return fail('expired');
  return say('/settings/profile', 'The new email is in force. You sign in with it from now on.');
}

export default function ConfirmEmail({ actionData }: Route.ComponentProps) {
  if (actionData) {
    return (
      <SignedOutNote
        title="This link no longer works"
        note="It was used, is more than an hour old, or the address has an account by now. Start the change again in your profile."
        below={<Link to="/settings/profile">Go to your profile</Link>}
      />
    );
  }
  return (
    <SignedOutForm
      title="Confirm your new email"
      note="It replaces the present one of your account."
      word="Confirm email"
    />
  );
}
