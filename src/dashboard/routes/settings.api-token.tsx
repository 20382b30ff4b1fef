import { open } from '../serving/open.ts';
import { Link } from 'react-router';
import { CodeBlock, NewToken } from '../parts/CopyButton.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Form } from '../forms/Form.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { useMayWork } from '../page/may-change.ts';
import { Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Section.tsx';
import { useKept } from '../parts/ShownOnce.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Route } from './+types/settings.api-token.ts';

/** The page looks for the first request for so long. */
const watchForMs = 24 * 3600 * 1000;

export async function loader({ url, context }: Route.LoaderArgs) {
  const { user, team, people, work, baseUrl, now, targets } = open(context);
  const token = await people.tokens.readApiToken(user.id);
  const asked = Number(url.searchParams.get('since') ?? token?.createdAt ?? now);
  const since = Number.isFinite(asked) ? Math.max(asked, now - watchForMs) : now;
  const isWatching =
    token !== null && (token.lastUsedAt === null || now - token.createdAt < watchForMs);
  const arrived = isWatching ? await work.findFirstCreatedSince(team.id, since) : null;
  const target = targets.echoUrl ?? 'https://example.com/hook';
  return { token, baseUrl, target, teamName: team.name, isWatching, arrived };
}

/** The text is only in this response. */
export async function action({ context }: Route.ActionArgs) {
  const { accounts, fields, requestContext, reject } = open(context);
  const outcome = await accounts.generateApiToken(fields('password'), requestContext);
  return outcome.kind === 'generated' ? { token: outcome.token } : reject(outcome);
}

export default function ApiToken({ loaderData }: Route.ComponentProps) {
  const { token, baseUrl, target, teamName, isWatching, arrived } = loaderData;
  const { kept, take } = useKept(({ token: made }: { token?: string }) => made);
  const mayWork = useMayWork();
  // Double quotes let the shell replace $API_TOKEN.
  const header = kept ? `'Authorization: Bearer ${kept}'` : '"Authorization: Bearer $API_TOKEN"';
  const call = (path: string, body: string) =>
    [
      `curl ${baseUrl}${path} \\`,
      `  -H ${header} \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -H 'Accept: application/json' \\`,
      `  -d '${body}'`,
    ].join('\n');
  return (
    <>
      <Section
        title="API token"
        note="API calls act on the team that you have selected at the time of the call. For a program, let an admin create a service account."
      >
        {mayWork ? null : (
          <Notice kind="note">
            {`You are a viewer of ${teamName}: while it is your current team, the API answers 403 to your token.`}
          </Notice>
        )}
        <NewToken {...{ kept, take }} />
        {token ? (
          <>
            <DefinitionList
              entries={[
                ['Token', <code>…{token.hint}</code>],
                ['Generated', <Time at={token.createdAt} />],
                [
                  'Last used',
                  token.lastUsedAt === null ? 'Not yet' : <Time at={token.lastUsedAt} />,
                ],
              ]}
            />
            {/* The key empties the password's field after the token was replaced. */}
            <Form key={token.hint} values={{}} word="Regenerate token">
              <p>A new token replaces the current one at once. Update every client that uses it.</p>
              <CurrentPasswordField label="Password, to replace it" />
            </Form>
          </>
        ) : (
          <Form values={{}} word="Generate token" variant="filled">
            <p>You have no token yet.</p>
            <CurrentPasswordField />
          </Form>
        )}
      </Section>
      {mayWork ? (
        <Section
          title="Send a first request"
          note={<>It goes to the team {teamName}. The response contains the id.</>}
        >
          <h3>A job, now</h3>
          <CodeBlock
            label="command for a job"
            text={call(
              '/api/jobs',
              `{"queue": "first",\n       "url": "${target}",\n       "payload": {"hello": "world"}}`,
            )}
          />
          <h3>A cron, every hour</h3>
          <CodeBlock
            label="command for a cron"
            text={call(
              '/api/crons',
              `{"name": "First cron",\n       "url": "${target}",\n       "cron_expression": "0 * * * *"}`,
            )}
          />
          {isWatching ? <Arrival arrived={arrived} /> : null}
        </Section>
      ) : null}
    </>
  );
}

/** Every two seconds; without a script by a link. */
function Arrival({ arrived }: Pick<Route.ComponentProps['loaderData'], 'arrived'>) {
  useLiveRefresh(arrived === null ? 2 : null);
  return (
    <div role="status" className="row">
      {arrived ? (
        <>
          <Status name="success" word="Arrived" />
          <span>
            A {arrived.kind} was created <Time at={arrived.createdAt} />.{' '}
            <Link to={`/${arrived.kind}s/${arrived.id}`}>See it</Link>
          </span>
        </>
      ) : (
        <>
          <Status name="processing" word="Waiting for the first request" />
          <noscript>
            <Link to="/settings/api-token" reloadDocument>
              Look again
            </Link>
          </noscript>
        </>
      )}
    </div>
  );
}
