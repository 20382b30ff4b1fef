import { openPublic } from '../serving/open.ts';
import { data, Link } from 'react-router';
import { answerAccountForm, readAccountForm } from '../account/account-form.ts';
import { sentForm } from '../context.ts';
import { AccountFields, SignedOutForm, TeamField } from '../account/SignedOutForm.tsx';
import type { Route } from './+types/register.$token.ts';

/** The page behind the link that was mailed to a new address. The account is created here. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { accounts } = openPublic(context);
  return { email: await accounts.readSignUp(params.token) };
}

const gone = 'It was used or is too old.';

export async function action({ params, context }: Route.ActionArgs) {
  const { values, input } = readAccountForm(context.get(sentForm));
  const { accounts, requestContext } = openPublic(context);
  const outcome = await accounts.finishSignUp(params.token, input, requestContext);
  if (outcome.kind === 'closed') {
    return data(
      { problem: `This link no longer works. ${gone}`, errors: {}, values },
      { status: 422 },
    );
  }
  return answerAccountForm(outcome, values, context);
}

export default function FinishSignUp({ loaderData, actionData }: Route.ComponentProps) {
  if (loaderData.email === null) {
    return (
      <SignedOutForm
        title="This link no longer works"
        note={gone}
        word={null}
        below={<Link to="/register">Ask for a new one</Link>}
      />
    );
  }
  const { errors, values, problem } = actionData ?? {};
  return (
    <SignedOutForm
      title="Create your account"
      note="Your address is confirmed. The account starts with a team of your own."
      word="Create account"
      problem={problem}
    >
      <AccountFields errors={errors} values={values} email={loaderData.email} />
      <TeamField errors={errors} values={values} />
    </SignedOutForm>
  );
}
