import { GoneLink, RevokeTokenField, SignedOutForm } from '../account/SignedOutForm.tsx';
import { NewPasswordField } from '../forms/PasswordField.tsx';
import { readChecked } from '../forms/values.ts';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/reset-password.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  return { isValid: await openPublic(context).accounts.isResetTokenValid(params.token) };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { accounts, fields, form, requestContext, fail, reject, say } = openPublic(context);
  const revokesToken = readChecked(form, 'revoke_token');
  const input = { ...params, ...fields('password'), revokesToken };
  const outcome = await accounts.resetPassword(input, requestContext);
  if (outcome.kind === 'done')
    return say('/login', 'The new password is set. Sign in with it.', outcome.setCookies);
  if (outcome.kind === 'expired')
    return fail('This link was used or is too old. Request a new one.');
  return reject(outcome);
}

export default function ResetPassword({ loaderData }: Route.ComponentProps) {
  if (!loaderData.isValid) {
    const why = 'It was used or is too old.';
    return <GoneLink note={why} to="/forgot-password" word="Request a new one" />;
  }
  return (
    <SignedOutForm
      title="Set a new password"
      note="It ends all your sessions; sign in with it afterwards."
      word="Set password"
    >
      <NewPasswordField label="New password" autoFocus />
      <RevokeTokenField />
    </SignedOutForm>
  );
}
