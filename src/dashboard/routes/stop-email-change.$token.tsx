import { openPublic } from '../serving/open.ts';
import { data, Link } from 'react-router';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import type { Route } from './+types/stop-email-change.$token.ts';

/** Needs a button, like the other mailed links: programs that scan mails open every link in them. */
export async function action({ params, context }: Route.ActionArgs) {
  const { accounts } = openPublic(context);
  const outcome = await accounts.stopEmailChange(params.token);
  return data({ outcome: outcome.kind }, { status: outcome.kind === 'done' ? 200 : 422 });
}

export default function StopEmailChange({ actionData }: Route.ComponentProps) {
  if (actionData?.outcome === 'done') {
    return (
      <SignedOutForm
        title="The change is stopped"
        note="Your email stays as it was. Whoever asked for the change is signed in as you and knows your password: set a new one now, which ends all sessions."
        word={null}
        below={<Link to="/forgot-password">Set a new password</Link>}
      />
    );
  }
  if (actionData) {
    return (
      <SignedOutForm
        title="This link no longer works"
        note="It was used, is more than an hour old, or the change is in force already. If your account has another email now, ask the operator of this Belfry for help."
        word={null}
        below={<Link to="/forgot-password">Set a new password</Link>}
      />
    );
  }
  return (
    <SignedOutForm
      title="Stop the change of your email"
      note="The email of your account stays as it is, and the link that the new address got stops working."
      word="Stop the change"
    />
  );
}
