import { Button } from '@mantine/core';
import { data, Form } from 'react-router';
import { requestFacts, requireRole, services } from '../context.ts';
import { redirectWithToast } from '../cookies.ts';
import { CodeBlock } from '../parts/CodeBlock.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { DataTable, type Column } from '../parts/DataTable.tsx';
import { describeTooMany } from '../parts/tooMany.ts';
import { ChoiceField, TextField } from '../parts/Field.tsx';
import { readText } from '../parts/readForm.ts';
import { Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Section.tsx';
import { Time } from '../parts/Time.tsx';
import type { Actor, FieldErrors, Invitation, Member, Teams } from '../services.ts';
import type { Route } from './+types/settings.members.ts';

const roles = [
  { value: 'member', text: 'Member: crons, queues, jobs, alerts, maintenance' },
  { value: 'admin', text: 'Admin: also members, signing, notifications' },
] as const;

export async function loader({ context }: Route.LoaderArgs) {
  const { actor } = requireRole(context, 'admin');
  const { teams, accounts } = context.get(services).people;
  const [members, invitations] = await Promise.all([
    teams.listMembers(actor),
    teams.listInvitations(actor),
  ]);
  return { members, invitations, viewer: actor, sendsMail: accounts.sendsMail() };
}

type Answer = {
  errors?: FieldErrors;
  problem?: string;
  invited?: { link: string; mailed: boolean };
};

export async function action({ request, context }: Route.ActionArgs) {
  const { actor } = requireRole(context, 'admin');
  const form = await request.formData();
  const { teams } = context.get(services).people;
  const intent = readText(form, 'intent');
  if (intent === 'invite') return invite(teams, actor, form);
  if (intent === 'transfer') requireRole(context, 'owner');
  const done = await change(teams, actor, intent, readText(form, 'id'));
  const toast = done
    ? ({ kind: 'done', text: done } as const)
    : ({
        kind: 'failed',
        text: 'That person or invitation is no longer here. Nothing was changed.',
      } as const);
  const to = intent === 'transfer' ? '/settings/team' : '/settings/members';
  return redirectWithToast(to, toast, context.get(requestFacts).baseUrl);
}

async function invite(teams: Teams, actor: Actor, form: FormData) {
  const role = readText(form, 'role') === 'admin' ? 'admin' : 'member';
  const outcome = await teams.invite(actor, {
    email: readText(form, 'email').trim() || null,
    role,
  });
  if (outcome.kind === 'refused') return data<Answer>({ errors: outcome.errors }, { status: 422 });
  if (outcome.kind === 'too-many')
    return data<Answer>({ problem: describeTooMany(outcome) }, { status: 429 });
  return data<Answer>({ invited: { link: outcome.link, mailed: outcome.mailed } });
}

/** Carries out one change and says so; null where what it names has gone. */
async function change(
  teams: Teams,
  actor: Actor,
  intent: string,
  id: string,
): Promise<string | null> {
  switch (intent) {
    case 'make-admin':
      return (await teams.changeRole(actor, id, 'admin')).kind === 'done'
        ? 'The role is changed to admin.'
        : null;
    case 'make-member':
      return (await teams.changeRole(actor, id, 'member')).kind === 'done'
        ? 'The role is changed to member.'
        : null;
    case 'remove':
      return (await teams.removeMember(actor, id)).kind === 'done'
        ? 'The member is removed.'
        : null;
    case 'transfer':
      return (await teams.transferTeam(actor, id)).kind === 'done'
        ? 'The team has a new owner. You are an admin now.'
        : null;
    case 'revoke':
      return (await teams.revokeInvitation(actor, id))
        ? 'The invitation is withdrawn. Its link no longer works.'
        : null;
    default:
      throw data(null, { status: 400 });
  }
}

export default function Members({ loaderData, actionData }: Route.ComponentProps) {
  const { members, invitations, viewer, sendsMail } = loaderData;
  return (
    <div className="stack">
      <DataTable
        caption="Members"
        columns={memberColumns(viewer)}
        rows={members}
        keyOf={(member) => member.userId}
      />
      <Invite answer={actionData ?? {}} sendsMail={sendsMail} />
      {invitations.length > 0 ? (
        <section className="stack">
          <h2>Open invitations</h2>
          <DataTable
            caption="Open invitations"
            columns={invitationColumns}
            rows={invitations}
            keyOf={({ id }) => id}
          />
        </section>
      ) : null}
    </div>
  );
}

function Invite({ answer, sendsMail }: { answer: Answer; sendsMail: boolean }) {
  return (
    <Section
      title="Invite"
      note={
        sendsMail
          ? 'By mail, or by a link that you pass on.'
          : 'By a link that you pass on: mail is not set up here.'
      }
    >
      {answer.problem ? <Notice kind="failed">{answer.problem}</Notice> : null}
      {answer.invited ? (
        <>
          <Notice
            kind="done"
            title={
              answer.invited.mailed ? 'The invitation is on its way.' : 'The invitation is made.'
            }
          >
            This link works once, for seven days. It is shown only now.
          </Notice>
          <CodeBlock text={answer.invited.link} label="invitation link" />
        </>
      ) : null}
      <Form method="post">
        <TextField
          name="email"
          label="Email"
          type="email"
          description="Leave it empty for a link that anybody may use, once."
          errors={answer.errors}
        />
        <ChoiceField name="role" label="Role" choices={roles} errors={answer.errors} />
        <Button type="submit" name="intent" value="invite">
          Invite
        </Button>
      </Form>
    </Section>
  );
}

function memberColumns(viewer: Actor): Column<Member>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      cell: ({ name, email }) => (
        <>
          {name} <span className="muted">{email}</span>
        </>
      ),
    },
    { key: 'role', head: 'Role', width: '110px', cell: ({ role }) => role },
    {
      key: 'joined',
      head: 'Joined',
      width: '110px',
      cell: ({ joinedAt }) => <Time at={joinedAt} />,
    },
    {
      key: 'actions',
      head: 'Change',
      width: '340px',
      isWideOnPhone: true,
      cell: (member) => <MemberActions member={member} viewer={viewer} />,
    },
  ];
}

function MemberActions({ member, viewer }: { member: Member; viewer: Actor }) {
  if (member.role === 'owner' || member.userId === viewer.userId) return null;
  const [intent, word] =
    member.role === 'admin' ? ['make-member', 'Make member'] : ['make-admin', 'Make admin'];
  const fields = { id: member.userId };
  return (
    <span className="row">
      <Form method="post">
        <input type="hidden" name="id" value={member.userId} />
        <Button type="submit" name="intent" value={intent} variant="default">
          {word}
        </Button>
      </Form>
      {viewer.role === 'owner' ? (
        <ConfirmDialog
          word="Transfer"
          question={`Make ${member.name} the owner?`}
          fields={{ ...fields, intent: 'transfer' }}
          variant="default"
        >
          You become an admin. Only the new owner can give the team back.
        </ConfirmDialog>
      ) : null}
      <ConfirmDialog
        word="Remove"
        question={`Remove ${member.name} from the team?`}
        fields={{ ...fields, intent: 'remove' }}
      >
        Their API token no longer acts in this team. What they made stays.
      </ConfirmDialog>
    </span>
  );
}

const invitationColumns: Column<Invitation>[] = [
  { key: 'email', head: 'For', cell: ({ email }) => email ?? 'Whoever has the link' },
  { key: 'role', head: 'Role', width: '100px', cell: ({ role }) => role },
  { key: 'by', head: 'By', width: '160px', cell: ({ invitedByName }) => invitedByName },
  {
    key: 'expires',
    head: 'Expires',
    width: '110px',
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
