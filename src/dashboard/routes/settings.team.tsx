import { may } from '#people/roles';
import { countOf } from '../words/amounts.ts';
import { NameField, PlainField, TextField } from '../forms/Field.tsx';
import { Form, FormSection } from '../forms/Form.tsx';
import { readText } from '../forms/values.ts';
import { Section } from '../parts/Section.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { requirePermission } from '../context.ts';
import { actOn, open } from '../serving/open.ts';
import { TEAM } from '#work/resources/team';
import { writeTexts } from '#work/resources/resource';
import { readTeamForm } from '../work-forms/read-forms.ts';
import type { Route } from './+types/settings.team.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { team, actor, teams, work } = open(context);
  const [{ leading, memberCount }, settings, deletion] = await Promise.all([
    teams.describeTeam(actor),
    work.readTeamSettings(team.id),
    team.role === 'owner' ? teams.describeTeamDeletion(actor) : null,
  ]);
  return {
    team,
    leading: leading.map(({ name, email, role }) => ({ name, email, role })),
    settings: writeTexts(TEAM, settings),
    deletion,
    memberCount,
  };
}

export function action({ context }: Route.ActionArgs) {
  const { form, team, work, teams, intent, actor, refuse, reject, say } = open(context);
  const name = readText(form, 'name');
  const editSettings = async () => {
    const reading = readTeamForm(form);
    if (!reading.ok) return refuse(reading.errors);
    await work.editTeamSettings(team.id, reading.input);
    return say('/settings/team', 'The settings are saved.');
  };
  return actOn(intent, {
    rename: async () => {
      requirePermission(context, 'rename-team');
      const outcome = await teams.renameTeam(actor, name);
      if (outcome.kind !== 'done') return reject(outcome);
      return say('/settings/team', 'The team is renamed.');
    },
    // Each has an intent of its own, so a refused one leaves the other form as it is.
    shown_field: editSettings,
    masked_fields: editSettings,
    leave: async () => {
      const outcome = await teams.leaveTeam(actor);
      if (outcome.kind === 'done') return say('/', 'You have left the team.');
      return refuse({ leave: ['You own this team. Transfer it first.'] });
    },
    delete: async () => {
      requirePermission(context, 'delete-team');
      const outcome = await teams.deleteTeam(actor, name);
      return outcome.kind === 'done' ? say('/', 'The team is deleted.') : reject(outcome);
    },
  });
}

export default function Team({ loaderData }: Route.ComponentProps) {
  const { team, leading, settings, deletion, memberCount } = loaderData;
  return (
    <>
      <Section title="Name" note="Crons, queues, jobs and the monthly limit belong to the team.">
        {!may(team.role, 'rename-team') ? (
          <p>{team.name}</p>
        ) : (
          <Form intent="rename" word="Rename team" values={{ name: team.name }}>
            <NameField />
          </Form>
        )}
      </Section>
      <Setting
        title="Who is affected"
        note="Lists of jobs can show one field of each payload, such as the customer."
        name="shown_field"
        settings={settings}
        mayEdit={may(team.role, 'work')}
        label="Field in lists of jobs"
        description="A path such as $.customer or $.order.items[0].id. Empty: none. Payloads over 16 kB are not read."
        placeholder="$.customer"
        word="Save field"
      />
      <Setting
        title="Masked fields"
        note="Pages, exports and notifications hide the values of these fields of payloads, queries and responses. People who may change crons and jobs can show them; the activity names who did."
        name="masked_fields"
        settings={settings}
        mayEdit={may(team.role, 'notifications')}
        label="Names of fields"
        description="Separated by commas; capitals don’t matter. Targets still receive the values."
        placeholder="card_number, iban"
        word="Save masked fields"
      />
      <Section
        title="Who leads it"
        note={`${countOf(memberCount, 'person is', 'people are')} in this team.`}
      >
        <ul>
          {leading.map(({ name, email, role }) => (
            <li key={email}>
              {name} <span className="muted">{`${email} · ${role}`}</span>
            </li>
          ))}
        </ul>
      </Section>
      {team.role === 'owner' ? null : (
        <Section
          title="Leave team"
          note="The API answers 500 to your token until another team is your current one."
          isDanger
        >
          <div>
            <ConfirmDialog
              word="Leave team"
              question={`Leave ${team.name}?`}
              fields={{ intent: 'leave' }}
            >
              You can come back only by a new invitation.
            </ConfirmDialog>
          </div>
        </Section>
      )}
      {deletion ? (
        <FormSection
          title="Delete team"
          note={`Its ${countOf(deletion.crons, 'cron')}, ${countOf(deletion.queues, 'queue')}, ${countOf(deletion.jobs, 'job')} and all history go with it. Nothing of it is sent any more.`}
          isDanger
          intent="delete"
          word="Delete team"
        >
          <p>
            API calls of{' '}
            {deletion.members === 1 ? 'its only member' : `its ${deletion.members} members`} answer
            500 until another team is chosen. This can’t be undone.
          </p>
          <TextField
            name="name"
            label={`Type ${team.name} to confirm`}
            required
            autoComplete="off"
          />
        </FormSection>
      ) : null}
    </>
  );
}

type SettingProps = Record<
  'title' | 'note' | 'label' | 'description' | 'placeholder' | 'word',
  string
> & {
  name: 'shown_field' | 'masked_fields';
  settings: Record<string, string>;
  mayEdit: boolean;
};

function Setting({ title, note, name, settings, mayEdit, word, ...field }: SettingProps) {
  return (
    <Section title={title} note={note}>
      {mayEdit ? (
        <Form intent={name} word={word} values={settings}>
          <PlainField name={name} {...field} />
        </Form>
      ) : (
        <p className="mono">{settings[name] || 'None'}</p>
      )}
    </Section>
  );
}
