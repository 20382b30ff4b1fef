import { NameField } from '../forms/Field.tsx';
import { Form } from '../forms/Form.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { actionsColumn, type Column, DataTable, timeColumn } from '../lists/DataTable.tsx';
import { EmptyState } from '../lists/List.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { NewToken } from '../parts/CopyButton.tsx';
import { Section } from '../parts/Section.tsx';
import { useKept } from '../parts/ShownOnce.tsx';
import { Time } from '../parts/Time.tsx';
import { actOn, open } from '../serving/open.ts';
import type { ServiceAccount } from '../services.ts';
import type { Route } from './+types/settings.service-accounts.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { actor, serviceAccounts } = open(context, 'service-accounts');
  return { accounts: await serviceAccounts.list(actor) };
}

/** The token's text is only in this response. */
export function action({ context }: Route.ActionArgs) {
  const { actor, field, fields, serviceAccounts, intent, requestContext, reject, say } = open(
    context,
    'service-accounts',
  );
  return actOn<Promise<unknown>, []>(intent, {
    create: async () => {
      const input = fields('name', 'password');
      const outcome = await serviceAccounts.create(actor, input, requestContext);
      return outcome.kind === 'made' ? { token: outcome.token } : reject(outcome);
    },
    revoke: async () =>
      say(
        '/settings/service-accounts',
        (await serviceAccounts.revoke(actor, field('id')))
          ? 'The service account is revoked. Its token no longer works.'
          : {
              kind: 'failed',
              text: 'That service account is no longer here. Nothing was changed.',
            },
      ),
  });
}

export default function ServiceAccounts({ loaderData: { accounts } }: Route.ComponentProps) {
  const made = useKept(({ token }: { token?: string }) => token);
  return (
    <div className="stack">
      {accounts.length > 0 ? (
        <DataTable caption="Service accounts" columns={columns} rows={accounts} />
      ) : (
        <EmptyState
          title="No service account yet"
          example="belfry service-account create --team Acme --name billing-service"
        >
          A service account is an API token for a program. It belongs to this team and to no person,
          so it keeps working when members leave. Create one below, or on the command line:
        </EmptyState>
      )}
      <Section
        title="New service account"
        note="Its API calls always act on this team, whichever team a member has selected. Every admin can revoke it."
      >
        <NewToken {...made} />
        {/* The key empties the fields after one was made. */}
        <Form key={accounts.length} intent="create" word="Create service account" variant="filled">
          <NameField
            description="The program that uses the token, such as billing-service. Its jobs show this name."
            autoComplete="off"
            spellCheck={false}
          />
          <CurrentPasswordField />
        </Form>
      </Section>
    </div>
  );
}

const columns: Column<ServiceAccount>[] = [
  { head: 'Name', cell: ({ name }) => name },
  { head: 'Token', width: '90px', cell: ({ hint }) => <code>…{hint}</code> },
  {
    head: 'Last used',
    isTime: true,
    width: '120px',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Not yet' : <Time at={lastUsedAt} />),
  },
  {
    head: 'Created by',
    isCutOnPhone: true,
    hiddenBelow: 600,
    width: '250px',
    givesWay: 2,
    cell: ({ madeBy }) => madeBy,
  },
  timeColumn('Created', ({ createdAt }) => createdAt, { hiddenBelow: 900, givesWay: 1 }),
  actionsColumn('120px', ({ id, name }) => (
    <ConfirmDialog word="Revoke" question={`Revoke ${name}?`} fields={{ id, intent: 'revoke' }}>
      Its token stops working at once. Crons and jobs that it created stay.
    </ConfirmDialog>
  )),
];
