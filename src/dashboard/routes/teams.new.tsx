import { Button } from '../parts/Button.tsx';
import { data, Link, redirect } from 'react-router';
import { sentForm, services, session } from '../context.ts';
import { redirectWithToast } from '../serving/cookies.ts';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { TextField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { readText } from '../forms/read-form.ts';
import type { FieldErrors, Session } from '../services.ts';
import type { Route } from './+types/teams.new.ts';

/** Page access lets only people with a session in here; the check is for the compiler. */
function whoAsks(current: Session | null): Session {
  if (!current) throw redirect('/login');
  return current;
}

export function loader({ context }: Route.LoaderArgs) {
  const { team, teams } = whoAsks(context.get(session));
  return { hasTeam: team !== null, teams: teams.map(({ id, name }) => ({ id, name })) };
}

export async function action({ context }: Route.ActionArgs) {
  const name = readText(context.get(sentForm), 'name');
  const outcome = await context
    .get(services)
    .people.teams.createTeam(whoAsks(context.get(session)).user.id, name);
  if (outcome.kind === 'refused') return data({ errors: outcome.errors, name }, { status: 422 });
  return redirectWithToast(context, '/', 'The team is made. It is your current one now.');
}

export default function NewTeam({ loaderData, actionData }: Route.ComponentProps) {
  const { hasTeam, teams } = loaderData;
  return (
    <>
      <CreateTeam hasTeam={hasTeam} answer={actionData} />
      {hasTeam ? null : <OtherWays teams={teams} />}
    </>
  );
}

/** For somebody without a current team: their other teams, and the way out. */
function OtherWays({ teams }: { teams: readonly { id: string; name: string }[] }) {
  return (
    <>
      {teams.length > 0 ? <h2>Or choose one of your teams</h2> : null}
      {teams.map(({ id, name }) => (
        <Form key={id} action="/teams/switch">
          <input type="hidden" name="teamId" value={id} />
          <Button type="submit" variant="default">
            {name}
          </Button>
        </Form>
      ))}
      <Form action="/logout">
        <Button type="submit" variant="default">
          Sign out
        </Button>
      </Form>
    </>
  );
}

type Answer = { errors: FieldErrors; name: string };

function CreateTeam({ hasTeam, answer }: { hasTeam: boolean; answer: Answer | undefined }) {
  return (
    <SignedOutForm
      title="Create team"
      note={
        hasTeam
          ? 'It has its own crons, queues, jobs, members and monthly limit. Crons and jobs cannot be moved between teams. It becomes your current team at once, and calls with your API token go to it from then on.'
          : 'No team is selected: the last one was deleted or you left it. The API answers 500 until there is one.'
      }
      word="Create team"
      below={hasTeam ? <Link to="/">Back</Link> : null}
    >
      <TextField
        name="name"
        label="Name"
        required
        maxLength={100}
        defaultValue={answer?.name}
        errors={answer?.errors}
      />
    </SignedOutForm>
  );
}
