import { data, redirect } from 'react-router';
import { redirectWithCookies, services, visitorOf } from '../context.ts';
import { AccountFields, DoorForm } from '../parts/DoorForm.tsx';
import { describeTooMany } from '../parts/tooMany.ts';
import { TextField } from '../parts/Field.tsx';
import { readText } from '../parts/readForm.ts';
import type { Route } from './+types/setup.ts';

export async function loader({ context }: Route.LoaderArgs) {
  if (await context.get(services).people.accounts.isSetUp()) throw redirect('/');
  return null;
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const values = {
    name: readText(form, 'name'),
    email: readText(form, 'email'),
    team: readText(form, 'team'),
  };
  const { accounts } = context.get(services).people;
  const outcome = await accounts.createFirstAccount(
    { ...values, password: readText(form, 'password') },
    visitorOf(request, context),
  );
  if (outcome.kind === 'signed-in') return redirectWithCookies('/', outcome.setCookies);
  if (outcome.kind === 'closed') throw redirect('/login');
  if (outcome.kind === 'too-many')
    return data({ problem: describeTooMany(outcome), errors: {}, values }, { status: 429 });
  return data({ problem: undefined, errors: outcome.errors, values }, { status: 422 });
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
