import { Link, redirect } from 'react-router';
import { answerAccountForm, readAccountForm } from '../accountForm.ts';
import { notFound, services, visitorOf } from '../context.ts';
import { AccountFields, DoorForm } from '../parts/DoorForm.tsx';
import { TextField } from '../parts/Field.tsx';
import type { Route } from './+types/register.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts } = context.get(services).people;
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  if (!accounts.mayRegister()) notFound();
  return null;
}

export async function action({ request, context }: Route.ActionArgs) {
  const { values, input } = readAccountForm(await request.formData());
  const { accounts } = context.get(services).people;
  const outcome = await accounts.register(input, visitorOf(request, context));
  if (outcome.kind === 'closed') notFound();
  return answerAccountForm(outcome, values);
}

export default function Register({ actionData }: Route.ComponentProps) {
  return (
    <DoorForm
      title="Create an account"
      note="With a team of your own. To join an existing team, ask for an invitation."
      word="Create account"
      problem={actionData?.problem}
      below={<Link to="/login">Sign in instead</Link>}
    >
      <AccountFields errors={actionData?.errors} values={actionData?.values} />
      <TextField
        name="team"
        label="Team"
        required
        maxLength={100}
        defaultValue={actionData?.values.team}
        errors={actionData?.errors}
      />
    </DoorForm>
  );
}
