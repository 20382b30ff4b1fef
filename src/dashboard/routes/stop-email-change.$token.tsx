import { Link } from 'react-router';
import { SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/stop-email-change.$token.ts';

/** Needs a button: programs that scan mails open every link. */
export async function action({ params, context }: Route.ActionArgs) {
  const { accounts, showDone } = openPublic(context);
  const { kind } = await accounts.stopEmailChange(params.token);
  return showDone(kind === 'done');
}

export default function StopEmailChange({ actionData }: Route.ComponentProps) {
  if (actionData) {
    const { isDone } = actionData;
    return (
      <SignedOutNote
        title={isDone ? 'The change is stopped' : 'This link no longer works'}
        note={
          isDone
            ? 'Your email is unchanged. The person who requested the change is signed in as you and has your password: set a new one now, which ends all sessions.'
            : 'It was used, is more than an hour old, or the change is in force already. If your account has another email now, contact the operator of this Belfry.'
        }
        below={<Link to="/forgot-password">Set a new password</Link>}
      />
    );
  }
  return (
    <SignedOutForm
      title="Stop the change of your email"
      note="The email of your account stays unchanged, and the link that was sent to the new address stops working."
      word="Stop the change"
    />
  );
}
