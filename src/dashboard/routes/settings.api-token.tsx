import { open } from '../serving/open.ts';
import { CodeBlock, NewToken } from '../parts/CopyButton.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { CurrentPasswordField } from '../forms/PasswordField.tsx';
import { Form } from '../forms/Form.tsx';
import { useMayWork } from '../page/may-change.ts';
import { Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Section.tsx';
import { useKept } from '../parts/ShownOnce.tsx';
import { Time } from '../parts/Time.tsx';
import type { Route } from './+types/settings.api-token.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { user, team, people, baseUrl, echoUrl } = open(context);
  const token = await people.tokens.readApiToken(user.id);
  const target = echoUrl ?? 'https://example.com/hook';
  return { token, baseUrl, target, teamName: team.name };
}

/** The text is only in this response. */
export async function action({ context }: Route.ActionArgs) {
  const { accounts, fields, requestContext, reject } = open(context);
  const outcome = await accounts.generateApiToken(fields('password'), requestContext);
  return outcome.kind === 'generated' ? { token: outcome.token } : reject(outcome);
}

export default function ApiToken({ loaderData }: Route.ComponentProps) {
  const { token, baseUrl, target, teamName } = loaderData;
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
        </Section>
      ) : null}
    </>
  );
}
