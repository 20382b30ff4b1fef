import { Link } from 'react-router';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { CodeField } from '../forms/Field.tsx';
import { openPublic } from '../serving/open.ts';
import { readNext } from '../serving/own-path.ts';
import type { Route } from './+types/login.code.ts';

export function loader({ url }: Route.LoaderArgs) {
  return { next: readNext(url.searchParams.get('next')) };
}

export async function action({ context }: Route.ActionArgs) {
  const { accounts, fields, form, requestContext, fail, enter } = openPublic(context);
  const outcome = await accounts.verifySecondFactor(fields('code'), requestContext);
  if (outcome.kind === 'expired')
    return fail('This sign-in has waited too long. Begin again with email and password.');
  if (outcome.kind === 'wrong')
    return fail('The code is not right. It changes every 30 seconds; a recovery code works once.');
  return enter(outcome, readNext(form.get('next')));
}

export default function SecondFactor({ loaderData }: Route.ComponentProps) {
  return (
    <SignedOutForm
      title="Enter the code"
      note="The six digits that your authenticator shows now, or one of your recovery codes."
      word="Sign in"
      fields={loaderData}
      below={<Link to="/login">Begin again</Link>}
    >
      <CodeField />
    </SignedOutForm>
  );
}
