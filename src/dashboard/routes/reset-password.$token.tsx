import { Link } from 'react-router';
import { RevokeTokenField, SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import { NewPasswordField } from '../forms/PasswordField.tsx';
import { readChecked, readText } from '../forms/values.ts';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/reset-password.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  return { isValid: await openPublic(context).accounts.isResetTokenValid(params.token) };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { accounts, form, requestContext, refuse, fail, tooMany, say } = openPublic(context);
  const outcome = await accounts.resetPassword(
    {
      token: params.token,
      password: readText(form, 'password'),
      revokesToken: readChecked(form, 'revoke_token'),
    },
    requestContext,
  );
  switch (outcome.kind) {
    case 'done':
      return say('/login', 'The new password is set. Sign in with it.', outcome.setCookies);
    case 'expired':
      return fail('This link was used or is too old. Request a new one.');
    case 'too-many':
      return tooMany(outcome);
    case 'refused':
      return refuse(outcome.errors);
  }
}

export default function ResetPassword({ loaderData }: Route.ComponentProps) {
  if (!loaderData.isValid) {
    return (
      <SignedOutNote
        title="This link no longer works"
        note="It was used or is too old."
        below={<Link to="/forgot-password">Request a new one</Link>}
      />
    );
  }
  return (
    <SignedOutForm
      title="Set a new password"
      note="It ends all your sessions; sign in with it afterwards."
      word="Set password"
    >
      <NewPasswordField label="New password" />
      <RevokeTokenField />
    </SignedOutForm>
  );
}
