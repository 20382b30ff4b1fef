import { may } from '#people/roles';
import { requirePermission } from '../context.ts';
import type { Toast } from '../serving/cookies.ts';
import { CodeBlock } from '../parts/CopyButton.tsx';
import { actionsColumn, DataTable, type Column, timeColumn } from '../lists/DataTable.tsx';
import { ActionButton, Form } from '../forms/Form.tsx';
import { ChoiceField, TextField } from '../forms/Field.tsx';
import { ConfirmDialog, MoreActions } from '../parts/Popover.tsx';
import { ShownOnce, useKept } from '../parts/ShownOnce.tsx';
import { Section } from '../parts/Section.tsx';
import { Status } from '../parts/Status.tsx';
import { actOn, open } from '../serving/open.ts';
import type { Actor, Colleague, Invitation, InvitedRole, Member } from '../services.ts';
import type { Route } from './+types/settings.members.ts';

const roles = [
  { value: 'member', text: 'Member: crons, queues, jobs, alerts, maintenance' },
  { value: 'admin', text: 'Admin: also members, signing, notifications' },
  { value: 'viewer', text: 'Viewer: sees the same pages as members, changes nothing' },
] as const;

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, teams, accounts } = open(context);
  if (!may(actor.role, 'manage-members')) return { colleagues: await teams.listColleagues(actor) };
  const [members, invitations] = await Promise.all([
    teams.listMembers(actor),
    teams.listInvitations(actor),
  ]);
  return { members, invitations, me: actor, sendsMail: accounts.sendsMail() };
}

type Invited = { link: string; mailed: boolean };

export function action({ context }: Route.ActionArgs) {
  const { actor, field, teams, intent, requestContext, reject, say } = open(
    context,
    'manage-members',
  );
  const id = field('id');
  /** @param done  null if the person or invitation is gone */
  const sayDone = (done: string | null) =>
    say('/settings/members', done === null ? GONE : { kind: 'done', text: done });
  const makeThem = (role: InvitedRole) => async () => {
    const { kind } = await teams.changeRole(actor, id, role);
    return sayDone(kind === 'done' ? `The role is changed to ${role}.` : null);
  };
  return actOn<Promise<unknown>, []>(intent, {
    invite: async () => {
      const role = field('role') as InvitedRole;
      const invited = { email: field('email').trim() || null, role };
      const outcome = await teams.invite(actor, invited, requestContext);
      if (outcome.kind === 'refused' || outcome.kind === 'too-many') return reject(outcome);
      return { invited: { link: outcome.link, mailed: outcome.mailed } };
    },
    'make-admin': makeThem('admin'),
    'make-member': makeThem('member'),
    'make-viewer': makeThem('viewer'),
    remove: async () => {
      const { kind } = await teams.removeMember(actor, id);
      return sayDone(kind === 'done' ? 'The member is removed.' : null);
    },
    revoke: async () =>
      sayDone(
        (await teams.revokeInvitation(actor, id))
          ? 'The invitation is withdrawn. Its link no longer works.'
          : null,
      ),
    transfer: async () => {
      requirePermission(context, 'transfer-team');
      const { kind } = await teams.transferTeam(actor, id);
      if (kind === 'not-found') return say('/settings/team', GONE);
      if (kind === 'done')
        return say('/settings/team', 'The team has a new owner. You are an admin now.');
      const text = 'They already own the maximum number of teams. Nothing was changed.';
      return say('/settings/team', { kind: 'failed', text });
    },
  });
}

const GONE: Toast = {
  kind: 'failed',
  text: 'That person or invitation is no longer here. Nothing was changed.',
};

export default function Members({ loaderData }: Route.ComponentProps) {
  const { kept, take } = useKept(({ invited }: { invited?: Invited }) => invited);
  if ('colleagues' in loaderData) {
    return (
      <DataTable
        caption="Members"
        columns={[nameColumn, roleColumn, joinedColumn]}
        rows={loaderData.colleagues}
        keyOf={(member) => member.userId}
      />
    );
  }
  const { members, invitations, me, sendsMail } = loaderData;
  return (
    <div className="stack">
      <DataTable
        caption="Members"
        columns={memberColumns(me)}
        rows={members}
        keyOf={(member) => member.userId}
      />
      <Section
        title="Invite"
        note={
          sendsMail
            ? 'By email, or with a link that you pass on.'
            : 'With a link that you pass on, because no mail server is set up.'
        }
      >
        {kept ? (
          <ShownOnce
            key={kept.link}
            {...(kept.mailed ? {} : { what: 'invitation link' })}
            title={kept.mailed ? 'The invitation is on its way.' : 'The invitation link is ready.'}
            note="This link works once, for seven days. It is shown only now."
            onTaken={take}
          >
            <CodeBlock text={kept.link} label="invitation link" />
          </ShownOnce>
        ) : null}
        <Form intent="invite" word="Invite" variant="filled">
          <TextField
            name="email"
            type="email"
            description="Leave it empty for a link that anybody may use, once."
          />
          <ChoiceField name="role" choices={roles} />
        </Form>
      </Section>
      {invitations.length > 0 ? (
        <section className="stack">
          <h2>Open invitations</h2>
          <DataTable caption="Open invitations" columns={invitationColumns} rows={invitations} />
        </section>
      ) : null}
    </div>
  );
}

const nameColumn: Column<Colleague> = {
  head: 'Name',
  cell: ({ name, email }) => (
    <>
      {name} <span className="muted">{email}</span>
    </>
  ),
};

const roleColumn: Column<Colleague> = {
  head: 'Role',
  isPlain: true,
  width: '110px',
  cell: ({ role }) => role,
};

const joinedColumn = timeColumn<Colleague>('Joined', ({ joinedAt }) => joinedAt, {
  hiddenBelow: 600,
  givesWay: 1,
});

function memberColumns(me: Actor): Column<Member>[] {
  return [
    {
      ...nameColumn,
      cell: (member) => (
        <>
          {nameColumn.cell(member)}
          {member.group === null ? null : (
            <span className="muted">{`, by the group ${member.group}`}</span>
          )}
        </>
      ),
    },
    roleColumn,
    {
      head: 'Second factor',
      hiddenBelow: 600,
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
    joinedColumn,
    actionsColumn('216px', (member) => <MemberActions member={member} me={me} />),
  ];
}

function MemberActions({ member, me }: { member: Member; me: Actor }) {
  if (member.role === 'owner' || member.userId === me.userId) return null;
  const [intent, word] =
    member.role === 'member' ? ['make-admin', 'Make admin'] : ['make-member', 'Make member'];
  const fields = { id: member.userId };
  return (
    <span className="row">
      <ActionButton fields={{ id: member.userId }} intent={intent} size="small">
        {word}
      </ActionButton>
      <MoreActions of={member.name} isSmall>
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
            They still see crons, queues, jobs and alerts, without secrets, and can’t change
            anything. Their API token creates nothing in this team.
          </ConfirmDialog>
        )}
        <ConfirmDialog
          word="Remove"
          question={`Remove ${member.name} from the team?`}
          fields={{ ...fields, intent: 'remove' }}
        >
          Their API token no longer works in this team. Everything that they created stays, and
          service accounts keep working.
          {member.group === null
            ? null
            : ` Their next sign-in adds them again while they are in the group ${member.group}. The operator of Belfry maps groups to teams.`}
        </ConfirmDialog>
      </MoreActions>
    </span>
  );
}

const invitationColumns: Column<Invitation>[] = [
  { head: 'For', cell: ({ email }) => email ?? 'Anyone with the link' },
  { head: 'Role', width: '100px', cell: ({ role }) => role },
  {
    head: 'Invited by',
    width: '160px',
    givesWay: 1,
    cell: ({ invitedByName }) => invitedByName,
  },
  timeColumn('Expires', ({ expiresAt }) => expiresAt, { givesWay: 2 }),
  actionsColumn('130px', ({ id }) => (
    <ConfirmDialog
      word="Withdraw"
      question="Withdraw the invitation?"
      fields={{ id, intent: 'revoke' }}
    >
      Its link stops working.
    </ConfirmDialog>
  )),
];
