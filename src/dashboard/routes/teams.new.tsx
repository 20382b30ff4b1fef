import { Link, redirect } from 'react-router';
import { SignedOutForm, SignedOutNote } from '../account/SignedOutForm.tsx';
import type { Context } from '../context.ts';
import { NameField } from '../forms/Field.tsx';
import { ActionButton, Form } from '../forms/Form.tsx';
import { openPublic } from '../serving/open.ts';
import type { Route } from './+types/teams.new.ts';

/** Page access ensures it; the check is for the compiler. */
function sessionOf(context: Context) {
  const { session } = openPublic(context);
  if (!session) throw redirect('/login');
  return session;
}

export function loader({ context }: Route.LoaderArgs) {
  const { team, teams } = sessionOf(context);
  return { hasTeam: team !== null, teams: teams.map(({ id, name }) => ({ id, name })) };
}

export async function action({ context }: Route.ActionArgs) {
  const { teams, field, refuse, say } = openPublic(context);
  const outcome = await teams.createTeam(sessionOf(context).user.id, field('name'));
  if (outcome.kind === 'refused') return refuse(outcome.errors);
  return say(
    '/',
    'The team is made. It is your current team, and calls with your API token go to it now.',
  );
}

export default function NewTeam({ loaderData }: Route.ComponentProps) {
  const { hasTeam, teams } = loaderData;
  const signOut = <ActionButton action="/logout">Sign out</ActionButton>;
  // None of the user's teams is selected.
  if (!hasTeam && teams.length > 0) {
    return (
      <>
        <SignedOutNote
          title="Choose a team"
          note="Pages show the team that you choose, and your API token acts in it. You can switch later."
        />
        {teams.map(({ id, name }) => (
          <ActionButton fields={{ teamId: id }} key={id} action="/teams/switch">
            {name}
          </ActionButton>
        ))}
        <h2 style={{ marginTop: 24 }}>Or create a team</h2>
        <Form values={{}} word="Create team">
          <NameField />
        </Form>
        {signOut}
      </>
    );
  }
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
        <NameField />
      </SignedOutForm>
      {hasTeam ? null : signOut}
    </>
  );
}
