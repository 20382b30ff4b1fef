import { redirect } from 'react-router';
import { AccountFields, SignedOutForm, TeamField } from '../account/SignedOutForm.tsx';
import { CodeField } from '../forms/Field.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/setup.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts, arrival } = openPublic(context);
  if (await accounts.isSetUp()) throw redirect('/');
  return { asksCode: accounts.asksSetupCode(arrival) };
}

export async function action({ context }: Route.ActionArgs) {
  const { accounts, arrival, fields, requestContext, enter } = openPublic(context);
  const input = fields('name', 'email', 'team', 'code', 'password');
  const outcome = await accounts.createFirstAccount(input, requestContext, arrival);
  if (outcome.kind === 'closed') throw redirect('/login');
  return enter(outcome);
}

export default function Setup({ loaderData }: Route.ComponentProps) {
  return (
    <SignedOutForm
      title="Set up Belfry"
      note="Make the first account. It owns the first team, and can invite everybody else."
      word="Create account"
    >
      {loaderData.asksCode ? (
        <CodeField
          autoFocus
          label="Setup code"
          description="Find it in the service’s log, or run: belfry setup-code"
          autoComplete="off"
        />
      ) : null}
      <AccountFields autoFocus={!loaderData.asksCode} />
      <TeamField />
    </SignedOutForm>
  );
}
