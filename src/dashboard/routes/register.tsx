import { LIMITS } from '#domain/limits';
import { data, Link, redirect } from 'react-router';
import { answerAccountForm, readAccountForm } from '../account/account-form.ts';
import { notFound, sentForm, services, requestContextOf, type Context } from '../context.ts';
import { AccountFields, SignedOutForm, TeamField } from '../account/SignedOutForm.tsx';
import { TextField } from '../forms/Field.tsx';
import { readText } from '../forms/read-form.ts';
import { refuseTooMany } from '../serving/refuse-too-many.ts';
import type { FieldErrors } from '../services.ts';
import type { Route } from './+types/register.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts } = context.get(services).people;
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  if (!accounts.mayRegister()) notFound();
  return { confirmsFirst: accounts.confirmsFirst() };
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = context.get(sentForm);
  const { accounts } = context.get(services).people;
  if (accounts.confirmsFirst()) return askForLink(readText(form, 'email'), request, context);
  const { values, input } = readAccountForm(form);
  const outcome = await accounts.register(input, requestContextOf(request, context));
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

async function askForLink(email: string, request: Request, context: Context) {
  const { accounts } = context.get(services).people;
  const outcome = await accounts.requestSignUp({ email }, requestContextOf(request, context));
  const values = { email };
  switch (outcome.kind) {
    case 'closed':
      return notFound();
    case 'done':
      return data<Answer>({ isSent: true, values });
    case 'refused':
      return data<Answer>({ errors: outcome.errors, values }, { status: 422 });
    case 'too-many': {
      const { problem, status } = refuseTooMany(outcome, context);
      return data<Answer>({ problem, values }, { status });
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
