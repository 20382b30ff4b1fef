import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startDashboard, type TestDashboard } from '#testing/dashboard';
import { eventually } from '#testing/process';
import type { Visitor } from '#testing/visitor';

/** What a new team is led through (§2.12), as the server writes it: no step needs a script. */

let dashboard: TestDashboard;
let teams = 0;

before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const newTeam = (at = dashboard) =>
  at.user(`steps${++teams}@bells.test`, { team: `Steps team ${teams}` });

/** The panel as text, null where it is not there. */
async function readSteps(visitor: Visitor): Promise<string | null> {
  const { text } = await visitor.get('/');
  const panel = /<section[^>]*aria-labelledby="first-steps".*?<\/section>/s.exec(text)?.[0];
  return panel === undefined
    ? null
    : panel
        .replaceAll(/<!--.*?-->/gs, '')
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ');
}

describe('the first steps', () => {
  test('a sample job goes to the echo with one click, and its step ticks itself', async () => {
    const user = await newTeam();
    const visitor = await dashboard.signIn(user);
    assert.match((await readSteps(visitor)) ?? '', /1 Send a sample job/);
    const answer = await visitor.post('/?index', { intent: 'sample-job' });
    assert.deepEqual([answer.status, answer.headers.get('Location')], [302, '/']);
    const [job, ...others] = await dashboard.service.work.listJobs(user.teamId, { limit: 5 });
    assert.equal(job?.url, `${dashboard.url}/echo`);
    assert.deepEqual(others, []);
    const said = await eventually(async () => {
      const text = await readSteps(visitor);
      return text?.includes('It arrived') === true && text;
    });
    assert.match(said, /Done: Send a sample job It arrived: HTTP 200 in [\d.]+ m?s/);
    assert.doesNotMatch(said, /Send sample job/);
  });

  test('a job that is due tomorrow does not stand for the sample, which can still be sent', async () => {
    const user = await newTeam();
    const visitor = await dashboard.signIn(user);
    const later = { queue: 'later', url: `${dashboard.url}/echo`, payloadJson: '{}' };
    await dashboard.service.work.createJob(user.teamId, {
      ...later,
      method: 'POST',
      headers: [],
      callbackUrl: null,
      delaySeconds: 86_400,
    });
    const said = (await readSteps(visitor)) ?? '';
    assert.match(said, /Send sample job/);
    assert.doesNotMatch(said, /On its way/);
  });

  test('the cron of every minute is filled in, and its step ticks itself', async () => {
    const user = await newTeam();
    const visitor = await dashboard.signIn(user);
    const form = await visitor.get('/crons/new?sample=1');
    assert.match(form.text, /name="cron_expression"[^>]*value="\* \* \* \* \*"/);
    assert.match(form.text, new RegExp(`value="${dashboard.url}/echo\\?from=cron"`));
    const { text } = await visitor.get('/crons/new');
    assert.doesNotMatch(text, /First cron/, 'only where it is asked for');
    await visitor.post('/crons/new', {
      name: 'First cron',
      url: `${dashboard.url}/echo?from=cron`,
      method: 'GET',
      cron_expression: '0 0 29 2 *',
      timeout_seconds: '30',
      is_active: '1',
    });
    assert.match((await readSteps(visitor)) ?? '', /Done: Run a cron every minute The next run is/);
  });

  test('where alerts go is ticked by a chat; a member is not led to what only admins may open', async () => {
    const user = await newTeam();
    const member = await dashboard.user(`member${teams}@bells.test`, {
      team: `Steps team ${teams}`,
      role: 'member',
    });
    const [visitor, guest] = [await dashboard.signIn(user), await dashboard.signIn(member)];
    assert.match((await readSteps(visitor)) ?? '', /3 Say where alerts go So far they stand/);
    assert.doesNotMatch((await guest.get('/')).text, /href="\/settings\/notifications"/);
    await dashboard.service.work.setChannel(user.teamId, {
      kind: 'slack',
      url: 'https://hooks.slack.com/services/T0/B0/x',
    });
    assert.match(
      (await readSteps(visitor)) ?? '',
      /Done: Say where alerts go Each alert goes to S/,
    );
  });

  test('are gone once hidden, for that team alone', async () => {
    const [user, other] = [await newTeam(), await newTeam()];
    const [visitor, stranger] = [await dashboard.signIn(user), await dashboard.signIn(other)];
    const answer = await visitor.post('/?index', { intent: 'hide-steps' });
    assert.equal(answer.status, 302);
    assert.equal(await readSteps(visitor), null);
    assert.notEqual(await readSteps(stranger), null);
  });

  test('where the echo is off, nothing is sent for anybody', async () => {
    await using without = await startDashboard({ ECHO: 'off' });
    const user = await newTeam(without);
    const visitor = await without.signIn(user);
    const steps = (await readSteps(visitor)) ?? '';
    assert.match(steps, /One request to a target of yours/);
    assert.doesNotMatch(steps, /echo/);
    const answer = await visitor.post('/?index', { intent: 'sample-job' });
    assert.equal(answer.status, 400);
    assert.deepEqual(await without.service.work.listJobs(user.teamId, { limit: 1 }), []);
    assert.doesNotMatch((await visitor.get('/crons/new?sample=1')).text, /\/echo/);
  });

  test('the first request by curl needs no other machine either', async () => {
    const visitor = await dashboard.signIn(await newTeam());
    const { text } = await visitor.get('/settings/api-token');
    assert.ok(text.includes(`&quot;url&quot;: &quot;${dashboard.url}/echo&quot;`), text);
  });
});
