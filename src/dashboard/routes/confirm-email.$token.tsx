import { openPublic } from '../serving/open.ts';
import { data, Link } from 'react-router';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import type { Route } from './+types/confirm-email.$token.ts';

/** Confirms the address. This needs a button: programs that scan mails open every link in them. */
export async function action({ params, context }: Route.ActionArgs) {
  const { accounts, say } = openPublic(context);
  const outcome = await accounts.confirmEmail(params.token);
  if (outcome.kind === 'expired') return data({ isExpired: true }, { status: 422 });
  const text = 'The new email is in force. You sign in with it from now on.';
  return say('/settings/profile', text);
}

export default function ConfirmEmail({ actionData }: Route.ComponentProps) {
  if (actionData?.isExpired) {
    return (
      <SignedOutForm
        title="This link no longer works"
        note="It was used, is more than an hour old, or the address has an account by now. Ask for the change again in your profile."
        word={null}
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
