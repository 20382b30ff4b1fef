import { openPublic } from '../serving/open.ts';
import { LIMITS } from '#domain/limits';
import { data, Link } from 'react-router';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { PasswordField } from '../forms/PasswordField.tsx';
import { RevokeTokenField } from '../account/RevokeTokenField.tsx';
import { readChecked, readText } from '../forms/read-form.ts';
import type { FieldErrors } from '../services.ts';
import type { Route } from './+types/reset-password.$token.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { accounts } = openPublic(context);
  return { isValid: await accounts.isResetTokenValid(params.token) };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { form, accounts, say, requestContext, tooMany } = openPublic(context);
  const outcome = await accounts.resetPassword(
    {
      token: params.token,
      password: readText(form, 'password'),
      revokesToken: readChecked(form, 'revoke_token'),
    },
    requestContext,
  );
  const none: FieldErrors = {};
  switch (outcome.kind) {
    case 'done':
      return say('/login', 'The new password is set. Sign in with it.', outcome.setCookies);
    case 'expired':
      return data(
        { problem: 'This link was used or is too old. Ask for a new one.', errors: none },
        { status: 422 },
      );
    case 'too-many': {
      return tooMany(outcome, { errors: none });
    }
    case 'refused':
      return data({ problem: undefined, errors: outcome.errors }, { status: 422 });
  }
}

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData.isValid) {
    return (
      <SignedOutForm
        title="This link no longer works"
        note="It was used or is too old."
        word={null}
        below={<Link to="/forgot-password">Ask for a new one</Link>}
      />
    );
  }
  return (
    <SignedOutForm
      title="Set a new password"
      note="It ends all your sessions; sign in with it afterwards."
      word="Set password"
      problem={actionData?.problem}
    >
      <PasswordField
        name="password"
        label="New password"
        description="At least 8 characters."
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={LIMITS.passwordCharacters.most}
        errors={actionData?.errors}
      />
      <RevokeTokenField />
    </SignedOutForm>
  );
}
