import { openPublic } from '../serving/open.ts';
import { LIMITS } from '#domain/limits';
import { Button } from '../parts/Button.tsx';
import { data, Link, redirect } from 'react-router';
import { session } from '../context.ts';
import { SignedOutForm } from '../account/SignedOutForm.tsx';
import { TabTitle } from '../page/PageHeader.tsx';
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
  const { form, teams, say } = openPublic(context);
  const name = readText(form, 'name');
  const outcome = await teams.createTeam(whoAsks(context.get(session)).user.id, name);
  if (outcome.kind === 'refused') return data({ errors: outcome.errors, name }, { status: 422 });
  return say('/', 'The team is made. It is your current one now.');
}

type Answer = { errors: FieldErrors; name: string };

export default function NewTeam({ loaderData, actionData }: Route.ComponentProps) {
  const { hasTeam, teams } = loaderData;
  if (!hasTeam && teams.length > 0) return <ChooseTeam teams={teams} answer={actionData} />;
  return (
    <>
      <SignedOutForm
        title="Create team"
        note={
          hasTeam
            ? 'It has its own crons, queues, jobs, members and monthly limit. Crons and jobs cannot be moved between teams. It becomes your current team at once, and calls with your API token go to it from then on.'
            : 'You are in no team. The API answers 500 until you are.'
        }
        word="Create team"
        below={hasTeam ? <Link to="/">Back</Link> : null}
      >
        <NameField answer={actionData} />
      </SignedOutForm>
      {hasTeam ? null : <SignOut />}
    </>
  );
}

/** For somebody who is in teams, of which none is their current one. */
function ChooseTeam({
  teams,
  answer,
}: {
  teams: readonly { id: string; name: string }[];
  answer: Answer | undefined;
}) {
  return (
    <>
      <TabTitle title="Choose a team" />
      <h1>Choose a team</h1>
      <p>
        Pages show the team that you choose, and your API token acts in it. You can switch later.
      </p>
      {teams.map(({ id, name }) => (
        <Form key={id} action="/teams/switch">
          <input type="hidden" name="teamId" value={id} />
          <Button type="submit" variant="default">
            {name}
          </Button>
        </Form>
      ))}
      <h2 style={{ marginTop: 24 }}>Or create a team</h2>
      <Form>
        <NameField answer={answer} />
        <Button type="submit" variant="default">
          Create team
        </Button>
      </Form>
      <SignOut />
    </>
  );
}

function NameField({ answer }: { answer: Answer | undefined }) {
  return (
    <TextField
      name="name"
      label="Name"
      required
      maxLength={LIMITS.personNameCharacters}
      defaultValue={answer?.name}
      errors={answer?.errors}
    />
  );
}

function SignOut() {
  return (
    <Form action="/logout">
      <Button type="submit" variant="default">
        Sign out
      </Button>
    </Form>
  );
}
