import { Button } from '@mantine/core';
import { useEffect } from 'react';
import { data, Form, Link, useRevalidator } from 'react-router';
import { requestFacts, services, signedIn } from '../context.ts';
import { CodeBlock } from '../parts/CodeBlock.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Section } from '../parts/Section.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { Route } from './+types/settings.api-token.ts';

/** How long the page looks for a first request, and tells of it; an unused token is waited for longer. */
const watchForMs = 24 * 3600 * 1000;

export async function loader({ url, context }: Route.LoaderArgs) {
  const { user, team } = context.get(signedIn);
  const { people, work } = context.get(services);
  const { baseUrl, now } = context.get(requestFacts);
  const token = await people.tokens.readApiToken(user.id);
  const asked = Number(url.searchParams.get('since') ?? token?.createdAt ?? now);
  const since = Number.isFinite(asked) ? Math.max(asked, now - watchForMs) : now;
  const isWatching =
    token !== null && (token.lastUsedAt === null || now - token.createdAt < watchForMs);
  const arrived = isWatching ? await work.findFirstCreatedSince(team.id, since) : null;
  return { token, baseUrl, teamName: team.name, isWatching, arrived };
}

/** Generates or replaces the token; the answer is the only place where its text ever stands. */
export async function action({ context }: Route.ActionArgs) {
  const { user } = context.get(signedIn);
  return data({ token: await context.get(services).people.tokens.generateApiToken(user.id) });
}

export default function ApiToken({ loaderData, actionData }: Route.ComponentProps) {
  const { token, baseUrl, teamName, isWatching, arrived } = loaderData;
  return (
    <>
      <Section
        title="API token"
        note="Calls with it act in whichever team is your current one at that moment."
      >
        {actionData ? (
          <>
            <Notice kind="done" title="Copy the token now: it is shown once." />
            <CodeBlock text={actionData.token} label="API token" />
          </>
        ) : null}
        {token ? <Existing token={token} /> : <First />}
      </Section>
      <Section
        title="Send a first request"
        note={<>It goes to the team {teamName}. The service answers with the id.</>}
      >
        <Examples baseUrl={baseUrl} token={actionData?.token ?? '$API_TOKEN'} />
        {isWatching ? <Arrival arrived={arrived} /> : null}
      </Section>
    </>
  );
}

function First() {
  return (
    <Form method="post">
      <p>You have none yet.</p>
      <Button type="submit">Generate token</Button>
    </Form>
  );
}

function Existing({
  token,
}: {
  token: { hint: string; createdAt: number; lastUsedAt: number | null };
}) {
  return (
    <>
      <DefinitionList
        entries={[
          ['Token', <code key="token">…{token.hint}</code>],
          ['Generated', <Time key="made" at={token.createdAt} />],
          [
            'Last used',
            token.lastUsedAt === null ? 'Not yet' : <Time key="used" at={token.lastUsedAt} />,
          ],
        ]}
      />
      <div>
        <ConfirmDialog
          word="Regenerate token"
          question="Replace the API token?"
          fields={{}}
          variant="default"
        >
          The present token stops working at once, wherever it is used.
        </ConfirmDialog>
      </div>
    </>
  );
}

function Examples({ baseUrl, token }: { baseUrl: string; token: string }) {
  const call = (path: string, body: string) =>
    [
      `curl ${baseUrl}${path} \\`,
      `  -H 'Authorization: Bearer ${token}' \\`.replace(
        "'Authorization: Bearer $API_TOKEN'",
        '"Authorization: Bearer $API_TOKEN"',
      ),
      `  -H 'Content-Type: application/json' \\`,
      `  -H 'Accept: application/json' \\`,
      `  -d '${body}'`,
    ].join('\n');
  return (
    <>
      <h3>A job, now</h3>
      <CodeBlock
        label="command for a job"
        text={call(
          '/api/jobs',
          '{"queue": "first",\n       "url": "https://example.com/hook",\n       "payload": {"hello": "world"}}',
        )}
      />
      <h3>A cron, every five minutes</h3>
      <CodeBlock
        label="command for a cron"
        text={call(
          '/api/crons',
          '{"name": "First cron",\n       "url": "https://example.com/",\n       "cron_expression": "*/5 * * * *"}',
        )}
      />
    </>
  );
}

/** Looks every two seconds while it waits; without a script, by a link. */
function Arrival({
  arrived,
}: {
  arrived: { kind: 'job' | 'cron'; id: string; createdAt: number } | null;
}) {
  const { revalidate } = useRevalidator();
  const isWaiting = arrived === null;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void revalidate(), 2000);
    return () => clearInterval(timer);
  }, [isWaiting, revalidate]);
  return (
    <div role="status" className="row">
      {arrived ? (
        <>
          <Status name="success" word="Arrived" />
          <span>
            A {arrived.kind} was created <Time at={arrived.createdAt} />.{' '}
            <Link to={arrived.kind === 'job' ? `/jobs/${arrived.id}` : `/crons/${arrived.id}`}>
              See it
            </Link>
          </span>
        </>
      ) : (
        <>
          <Status name="processing" word="Waiting for the first request" />
          <noscript>
            <a href="/settings/api-token">Look again</a>
          </noscript>
        </>
      )}
    </div>
  );
}
