import { data, Link, redirect } from 'react-router';
import { notFound, redirectWithCookies, services, visitorOf } from '../context.ts';
import { AccountFields, DoorForm } from '../parts/DoorForm.tsx';
import { describeTooMany } from '../parts/tooMany.ts';
import { TextField } from '../parts/Field.tsx';
import { readText } from '../parts/readForm.ts';
import type { Route } from './+types/register.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { accounts } = context.get(services).people;
  if (!(await accounts.isSetUp())) throw redirect('/setup');
  if (!accounts.mayRegister()) notFound();
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
  const outcome = await accounts.register(
    { ...values, password: readText(form, 'password') },
    visitorOf(request, context),
  );
  if (outcome.kind === 'signed-in') return redirectWithCookies('/', outcome.setCookies);
  if (outcome.kind === 'closed') notFound();
  if (outcome.kind === 'too-many')
    return data({ problem: describeTooMany(outcome), errors: {}, values }, { status: 429 });
  return data({ problem: undefined, errors: outcome.errors, values }, { status: 422 });
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
