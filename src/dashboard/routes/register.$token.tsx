import { AccountFields, GoneLink, SignedOutForm, TeamField } from '../account/SignedOutForm.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/register.$token.ts';

/** Behind the mailed link; creates the account. */
export async function loader({ params, context }: Route.LoaderArgs) {
  return { email: await openPublic(context).accounts.readSignUp(params.token) };
}

const gone = 'It was used or is too old.';

export async function action({ params, context }: Route.ActionArgs) {
  const { accounts, fields, requestContext, fail, enter } = openPublic(context);
  const input = fields('name', 'team', 'password');
  const outcome = await accounts.finishSignUp(params.token, input, requestContext);
  if (outcome.kind === 'closed') return fail(`This link no longer works. ${gone}`);
  return enter(outcome);
}

export default function FinishSignUp({ loaderData: { email } }: Route.ComponentProps) {
  if (email === null) return <GoneLink note={gone} to="/register" word="Request a new one" />;
  return (
    <SignedOutForm
      title="Create your account"
      note="Your address is confirmed. The account starts with a team of your own."
      word="Create account"
    >
      <AccountFields email={email} />
      <TeamField />
    </SignedOutForm>
  );
}
