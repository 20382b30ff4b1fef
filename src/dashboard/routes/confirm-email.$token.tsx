import { GoneLink, SignedOutForm } from '../account/SignedOutForm.tsx';
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
      <GoneLink
        note="It was used, is more than an hour old, or the address has an account by now. Start the change again in your profile."
        to="/settings/profile"
        word="Go to your profile"
      />
    );
  }
  return (
    <SignedOutForm
      title="Confirm your new email"
      note="It replaces the current email of your account."
      word="Confirm email"
    />
  );
}
