import { openPublic } from '../serving/open.ts';
import { LIMITS } from '#domain/limits';
import { data, Link, redirect } from 'react-router';
import { answerAccountForm, readAccountForm } from '../account/account-form.ts';
import { notFound, type Context } from '../context.ts';
import { AccountFields, SignedOutForm, TeamField } from '../account/SignedOutForm.tsx';
import { TextField } from '../forms/Field.tsx';
import { readText } from '../forms/read-form.ts';
import type { FieldErrors } from '../services.ts';
import type { Route } from './+types/register.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts } = openPublic(context);
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  if (!accounts.mayRegister()) notFound();
  return { confirmsFirst: accounts.confirmsFirst() };
}

export async function action({ context }: Route.ActionArgs) {
  const { form, accounts, requestContext } = openPublic(context);
  if (accounts.confirmsFirst()) return askForLink(readText(form, 'email'), context);
  const { values, input } = readAccountForm(form);
  const outcome = await accounts.register(input, requestContext);
  if (outcome.kind === 'closed') notFound();
  return answerAccountForm(outcome, values, context);
}

/** What the forms show again. `values` belong to the form that creates the account at once. */
type Answer = {
  isSent?: true;
  problem?: string | undefined;
  errors?: FieldErrors | undefined;
  values: Readonly<Record<string, string>>;
};

async function askForLink(email: string, context: Context) {
  const { accounts, requestContext, tooMany } = openPublic(context);
  const outcome = await accounts.requestSignUp({ email }, requestContext);
  const values = { email };
  switch (outcome.kind) {
    case 'closed':
      return notFound();
    case 'done':
      return data<Answer>({ isSent: true, values });
    case 'refused':
      return data<Answer>({ errors: outcome.errors, values }, { status: 422 });
    case 'too-many': {
      return tooMany(outcome, { values });
    }
  }
}

export default function Register({ loaderData, actionData }: Route.ComponentProps) {
  const answer: Answer | undefined = actionData;
  if (answer?.isSent) {
    return (
      <SignedOutForm
        title="Look for the link"
        note={`A link to create the account is on its way to ${answer.values['email']}. It works once, for an hour.`}
        word={null}
        below={<Link to="/login">Back to sign in</Link>}
      />
    );
  }
  const below = <Link to="/login">Sign in instead</Link>;
  if (loaderData.confirmsFirst) {
    return (
      <SignedOutForm
        title="Create an account"
        note="We send a link to your address first. To join an existing team, ask for an invitation."
        word="Send link"
        problem={answer?.problem}
        below={below}
      >
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          required
          maxLength={LIMITS.emailCharacters}
          defaultValue={answer?.values['email']}
          errors={answer?.errors}
        />
      </SignedOutForm>
    );
  }
  return (
    <SignedOutForm
      title="Create an account"
      note="With a team of your own. To join an existing team, ask for an invitation."
      word="Create account"
      problem={answer?.problem}
      below={below}
    >
      <AccountFields errors={answer?.errors} values={answer?.values} />
      <TeamField errors={answer?.errors} values={answer?.values} />
    </SignedOutForm>
  );
}
