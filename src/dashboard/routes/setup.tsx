import { redirect } from 'react-router';
import { answerAccountForm, readAccountForm } from '../accountForm.ts';
import { services, visitorOf } from '../context.ts';
import { AccountFields, DoorForm } from '../parts/DoorForm.tsx';
import { TextField } from '../parts/Field.tsx';
import type { Route } from './+types/setup.ts';

export async function loader({ context }: Route.LoaderArgs) {
  if (await context.get(services).people.accounts.isSetUp()) throw redirect('/');
  return null;
}

export async function action({ request, context }: Route.ActionArgs) {
  const { values, input } = readAccountForm(await request.formData());
  const { accounts } = context.get(services).people;
  const outcome = await accounts.createFirstAccount(input, visitorOf(request, context));
  if (outcome.kind === 'closed') throw redirect('/login');
  return answerAccountForm(outcome, values);
}

export default function Setup({ actionData }: Route.ComponentProps) {
  return (
    <DoorForm
      title="Set up Belfry"
      note="Make the first account. It owns the first team, and can invite everybody else."
      word="Create account"
      problem={actionData?.problem}
    >
      <AccountFields errors={actionData?.errors} values={actionData?.values} />
      <TextField
        name="team"
        label="Team"
        description="Crons, queues and jobs belong to a team."
        required
        maxLength={100}
        defaultValue={actionData?.values.team}
        errors={actionData?.errors}
      />
    </DoorForm>
  );
}
