import { openPublic } from '../serving/open.ts';
import { LIMITS } from '#domain/limits';
import { redirect } from 'react-router';
import { answerAccountForm, readAccountForm } from '../account/account-form.ts';
import { sentForm } from '../context.ts';
import { AccountFields, SignedOutForm, TeamField } from '../account/SignedOutForm.tsx';
import { TextField } from '../forms/Field.tsx';
import type { Route } from './+types/setup.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts, arrival } = openPublic(context);
  if (await accounts.isSetUp()) throw redirect('/');
  return { asksCode: accounts.asksSetupCode(arrival) };
}

export async function action({ context }: Route.ActionArgs) {
  const { values, input } = readAccountForm(context.get(sentForm));
  const { accounts, arrival, requestContext } = openPublic(context);
  const outcome = await accounts.createFirstAccount(input, requestContext, arrival);
  if (outcome.kind === 'closed') throw redirect('/login');
  return answerAccountForm(outcome, values, context);
}

export default function Setup({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <SignedOutForm
      title="Set up Belfry"
      note="Make the first account. It owns the first team, and can invite everybody else."
      word="Create account"
      problem={actionData?.problem}
    >
      {loaderData.asksCode ? (
        <TextField
          name="code"
          label="Setup code"
          description="Find it in the service’s log, or run `belfry setup-code`."
          autoComplete="off"
          required
          maxLength={LIMITS.codeCharacters}
          defaultValue={actionData?.values.code}
          errors={actionData?.errors}
        />
      ) : null}
      <AccountFields errors={actionData?.errors} values={actionData?.values} />
      <TeamField errors={actionData?.errors} values={actionData?.values} />
    </SignedOutForm>
  );
}
