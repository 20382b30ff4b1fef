import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDashboard, useDashboard } from '#testing/dashboard';
import { eventually } from '#testing/process';
import { asText, type Visitor } from '#testing/visitor';

/** What a new team is led through (§2.12), as the server writes it: no step needs a script. */

let teams = 0;

const dashboard = useDashboard();

const newTeam = (at = dashboard) =>
  at.user(`steps${++teams}@bells.test`, { team: `Steps team ${teams}` });

/** The panel as text, null where it is not there. */
async function readSteps(visitor: Visitor): Promise<string | null> {
  const { text } = await visitor.get('/');
  const panel = /<section[^>]*aria-labelledby="first-steps".*?<\/section>/s.exec(text)?.[0];
  return panel === undefined ? null : asText(panel);
}

describe('the first steps', () => {
  test('one click sends a sample job to the echo and shows its outcome', async () => {
    const user = await newTeam();
    const visitor = await dashboard.signIn(user);
    assert.match((await readSteps(visitor)) ?? '', /1 Send a sample job/);
    const answer = await visitor.post('/?index', { intent: 'sample-job' });
    const [job, ...others] = await dashboard.service.work.listJobs(user.teamId, { limit: 5 });
    assert.deepEqual([answer.status, answer.headers.get('Location')], [302, `/jobs/${job?.id}`]);
    assert.equal(job?.url, `${dashboard.url}/echo`);
    assert.deepEqual(others, []);
    const said = await eventually(async () => {
      const text = await readSteps(visitor);
      return text?.includes('A run has succeeded') === true && text;
    });
    assert.match(said, /Done: Send a sample job A run has succeeded/);
    assert.doesNotMatch(said, /Send sample job/);
  });

  test('the form of the first cron is filled in, for fewer runs than a plan of 1,000 has', async () => {
    const user = await newTeam();
    const visitor = await dashboard.signIn(user);
    const { text: overview } = await visitor.get('/');
    assert.ok(overview.includes('href="/crons/new?sample=1"'));
    const form = await visitor.get('/crons/new?sample=1');
    assert.match(form.text, /name="cron_expression"[^>]*value="0 \* \* \* \*"/);
    assert.match(form.text, new RegExp(`value="${dashboard.url}/echo\\?from=cron"`));
    const { text } = await visitor.get('/crons/new');
    assert.doesNotMatch(text, /First cron/, 'only where it is asked for');
    assert.match(text, /<option value="1" selected[^>]*>After 1 failed run</, 'alerts are on');
    assert.match(text, /Alerts appear on the Alerts page\. Email is not configured/);
    const [nameField = ''] = /<input[^>]* name="name"[^>]*>/.exec(text) ?? [];
    assert.match(nameField, /autofocus/i);
    await visitor.post('/crons/new', {
      name: 'First cron',
      url: `${dashboard.url}/echo?from=cron`,
      method: 'GET',
      cron_expression: '0 0 29 2 *',
      timeout_seconds: '30',
      is_active: '1',
    });
    assert.match((await readSteps(visitor)) ?? '', /Done: Create a cron .* See crons/);
  });

  test('notifications lead to the default channel, whose form ticks the step', async () => {
    const user = await newTeam();
    const visitor = await dashboard.signIn(user);
    const open = /3 Set up notifications For now alerts only appear on the Alerts page\. Set up/;
    assert.match((await readSteps(visitor)) ?? '', open);
    const slack = (name: string) => ({
      intent: 'save',
      kind: 'slack',
      slack_url: `https://hooks.slack.com/services/T0/${name}/x`,
      name,
    });
    await visitor.post('/settings/notifications/new', slack('Second'));
    assert.equal((await dashboard.service.work.listChannels(user.teamId)).length, 2);
    assert.match((await readSteps(visitor)) ?? '', open, 'no alert goes to a further channel yet');
    const form = '/settings/notifications/default';
    assert.ok((await visitor.get('/')).text.includes(`href="${form}"`));
    await visitor.post(form, slack('Default'));
    assert.match(
      (await readSteps(visitor)) ?? '',
      /Done: Set up notifications Alerts go to Slack\. Change/,
    );
  });

  test('without the echo no sample job is offered', async () => {
    await using without = await startDashboard({ ECHO: 'off' });
    const user = await newTeam(without);
    const visitor = await without.signIn(user);
    const steps = (await readSteps(visitor)) ?? '';
    assert.match(steps, /A job sends one request to a URL, now or later\. Create job/);
    assert.doesNotMatch(steps, /echo/);
    const answer = await visitor.post('/?index', { intent: 'sample-job' });
    assert.equal(answer.status, 400);
    assert.deepEqual(await without.service.work.listJobs(user.teamId, { limit: 1 }), []);
    assert.doesNotMatch((await visitor.get('/crons/new?sample=1')).text, /\/echo/);
  });
});
