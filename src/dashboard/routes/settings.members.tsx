import { ActionButton } from '../forms/ActionButton.tsx';
import { open } from '../serving/open.ts';
import { Submit } from '../parts/Button.tsx';
import { data } from 'react-router';
import { requirePermission, type Context } from '../context.ts';
import { type Toast } from '../serving/cookies.ts';
import { CodeBlock } from '../parts/CopyButton.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { Form } from '../forms/Form.tsx';
import { ChoiceField, TextField } from '../forms/Field.tsx';
import { readText } from '../forms/values.ts';
import { MoreActions } from '../parts/MoreActions.tsx';
import { ShownOnce } from '../parts/ShownOnce.tsx';
import { useKept } from '../parts/shown-once.ts';
import { Section } from '../parts/Section.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Actor, Invitation, InvitedRole, Member, Teams } from '../services.ts';
import type { Route } from './+types/settings.members.ts';

const roles = [
  { value: 'member', text: 'Member: crons, queues, jobs, alerts, maintenance' },
  { value: 'admin', text: 'Admin: also members, signing, notifications' },
  { value: 'viewer', text: 'Viewer: sees the same pages as members, changes nothing' },
] as const;

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, teams, accounts } = open(context, 'manage-members');
  const [members, invitations] = await Promise.all([
    teams.listMembers(actor),
    teams.listInvitations(actor),
  ]);
  return { members, invitations, me: actor, sendsMail: accounts.sendsMail() };
}

type Invited = { link: string; mailed: boolean };

export async function action({ context }: Route.ActionArgs) {
  const { actor, form, teams, intent, say } = open(context, 'manage-members');
  if (intent === 'invite') return invite(actor, context);
  const id = readText(form, 'id');
  if (intent === 'transfer') {
    requirePermission(context, 'transfer-team');
    return say('/settings/team', await transfer(teams, actor, id));
  }
  const done = await change(teams, actor, intent, id);
  const toast: Toast = done ? { kind: 'done', text: done } : GONE;
  return say('/settings/members', toast);
}

const GONE: Toast = {
  kind: 'failed',
  text: 'That person or invitation is no longer here. Nothing was changed.',
};

async function transfer(teams: Teams, actor: Actor, id: string): Promise<Toast> {
  const { kind } = await teams.transferTeam(actor, id);
  if (kind === 'not-found') return GONE;
  return kind === 'done'
    ? { kind: 'done', text: 'The team has a new owner. You are an admin now.' }
    : { kind: 'failed', text: 'They own as many teams as one may. Nothing was changed.' };
}

async function invite(actor: Actor, context: Context) {
  const { form, teams, requestContext, refuse, tooMany } = open(context);
  const role = readText(form, 'role') as InvitedRole;
  const invited = { email: readText(form, 'email').trim() || null, role };
  const outcome = await teams.invite(actor, invited, requestContext);
  if (outcome.kind === 'refused') return refuse(outcome.errors);
  if (outcome.kind === 'too-many') {
    return tooMany(outcome);
  }
  return { invited: { link: outcome.link, mailed: outcome.mailed } };
}

const changes = {
  'make-admin': 'admin',
  'make-member': 'member',
  'make-viewer': 'viewer',
} as const;

/** Carries out one change and returns its message; null if the person or invitation is gone. */
async function change(
  teams: Teams,
  actor: Actor,
  intent: string,
  id: string,
): Promise<string | null> {
  switch (intent) {
    case 'make-admin':
    case 'make-member':
    case 'make-viewer': {
      const role = changes[intent];
      const { kind } = await teams.changeRole(actor, id, role);
      return kind === 'done' ? `The role is changed to ${role}.` : null;
    }
    case 'remove':
      return (await teams.removeMember(actor, id)).kind === 'done'
        ? 'The member is removed.'
        : null;
    case 'revoke':
      return (await teams.revokeInvitation(actor, id))
        ? 'The invitation is withdrawn. Its link no longer works.'
        : null;
    default:
      throw data(null, { status: 400 });
  }
}

export default function Members({ loaderData }: Route.ComponentProps) {
  const { members, invitations, me, sendsMail } = loaderData;
  return (
    <div className="stack">
      <DataTable
        caption="Members"
        columns={memberColumns(me)}
        rows={members}
        keyOf={(member) => member.userId}
      />
      <Invite sendsMail={sendsMail} />
      {invitations.length > 0 ? (
        <section className="stack">
          <h2>Open invitations</h2>
          <DataTable caption="Open invitations" columns={invitationColumns} rows={invitations} />
        </section>
      ) : null}
    </div>
  );
}

function Invite({ sendsMail }: { sendsMail: boolean }) {
  const { kept, take } = useKept(({ invited }: { invited?: Invited }) => invited);
  return (
    <Section
      title="Invite"
      note={
        sendsMail
          ? 'By mail, or by a link that you pass on.'
          : 'By a link that you pass on: mail is not set up here.'
      }
    >
      {kept ? (
        <ShownOnce
          key={kept.link}
          {...(kept.mailed ? {} : { what: 'invitation link' })}
          title={kept.mailed ? 'The invitation is on its way.' : 'The invitation is made.'}
          note="This link works once, for seven days. It is shown only now."
          onTaken={take}
        >
          <CodeBlock text={kept.link} label="invitation link" />
        </ShownOnce>
      ) : null}
      <Form intent="invite">
        <TextField
          name="email"
          label="Email"
          type="email"
          description="Leave it empty for a link that anybody may use, once."
        />
        <ChoiceField name="role" label="Role" choices={roles} />
        <Submit intent="invite" variant="filled">
          Invite
        </Submit>
      </Form>
    </Section>
  );
}

function memberColumns(me: Actor): Column<Member>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      cell: ({ name, email, group }) => (
        <>
          {name} <span className="muted">{email}</span>
          {group === null ? null : <span className="muted">{`, by the group ${group}`}</span>}
        </>
      ),
    },
    { key: 'role', head: 'Role', width: '110px', cell: ({ role }) => role },
    {
      key: 'factor',
      head: 'Second factor',
      width: '136px',
      givesWay: 2,
      cell: ({ hasSecondFactor, hasPasskey }) => (
        <>
          {hasSecondFactor ? (
            <Status name="active" word="On" />
          ) : (
            <span className="muted">Off</span>
          )}
          {hasPasskey ? ', passkey' : null}
        </>
      ),
    },
    {
      key: 'joined',
      head: 'Joined',
      width: '110px',
      givesWay: 1,
      cell: ({ joinedAt }) => <Time at={joinedAt} />,
    },
    {
      key: 'actions',
      head: 'Change',
      width: '216px',
      isWideOnPhone: true,
      cell: (member) => <MemberActions member={member} me={me} />,
    },
  ];
}

function MemberActions({ member, me }: { member: Member; me: Actor }) {
  if (member.role === 'owner' || member.userId === me.userId) return null;
  const [intent, word] =
    member.role === 'member' ? ['make-admin', 'Make admin'] : ['make-member', 'Make member'];
  const fields = { id: member.userId };
  return (
    <span className="row">
      <ActionButton fields={{ id: member.userId }} intent={intent}>
        {word}
      </ActionButton>
      <MoreActions of={member.name}>
        {me.role === 'owner' ? (
          <ConfirmDialog
            word="Transfer"
            question={`Make ${member.name} the owner?`}
            fields={{ ...fields, intent: 'transfer' }}
            variant="default"
          >
            You become an admin. Only the new owner can give the team back.
          </ConfirmDialog>
        ) : null}
        {member.role === 'viewer' ? null : (
          <ConfirmDialog
            word="Make viewer"
            question={`Make ${member.name} a viewer?`}
            fields={{ ...fields, intent: 'make-viewer' }}
            variant="default"
          >
            They go on seeing crons, queues, jobs and alerts, without their secrets, and change
            nothing. Their API token creates nothing in this team.
          </ConfirmDialog>
        )}
        <ConfirmDialog
          word="Remove"
          question={`Remove ${member.name} from the team?`}
          fields={{ ...fields, intent: 'remove' }}
        >
          Their API token no longer works in this team. Everything that they created stays.
          {member.group === null
            ? null
            : ` Their next sign-in adds them again while they are in the group ${member.group}. The operator of Belfry maps groups to teams.`}
        </ConfirmDialog>
      </MoreActions>
    </span>
  );
}

const invitationColumns: Column<Invitation>[] = [
  { key: 'email', head: 'For', cell: ({ email }) => email ?? 'Anyone with the link' },
  { key: 'role', head: 'Role', width: '100px', cell: ({ role }) => role },
  {
    key: 'by',
    head: 'By',
    width: '160px',
    givesWay: 1,
    cell: ({ invitedByName }) => invitedByName,
  },
  {
    key: 'expires',
    head: 'Expires',
    width: '110px',
    givesWay: 2,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
  {
    key: 'actions',
    head: 'Change',
    width: '130px',
    cell: ({ id }) => (
      <ConfirmDialog
        word="Withdraw"
        question="Withdraw the invitation?"
        fields={{ id, intent: 'revoke' }}
      >
        Its link stops working.
      </ConfirmDialog>
    ),
  },
];
