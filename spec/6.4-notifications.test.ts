/** §6.4, §6.5: a notification is stored in the transaction of its outcome, so the end of a process loses none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMigratedDatabase } from '#testing/migrated';
import {
  type BelfryProcess,
  forEachDatabase,
  type MakeDatabaseUrl,
  startBelfry,
} from '#testing/process';
import { startReceiver } from '#testing/receiver';
import { makeClient, postJob, TEAM, untilCounted, untilEnded } from '#testing/remote';
import { makeGate } from '#testing/scheduling';
import { startSmtpServer } from '#testing/smtp';

interface PrintedAlert {
  source: string;
  source_name: string;
  level: string;
  delivery: string;
}

async function listAlerts(belfry: BelfryProcess): Promise<PrintedAlert[]> {
  const { code, json, stderr } = await belfry.cli('alert', 'list', '--team', TEAM);
  assert.equal(code, 0, stderr);
  return json as PrintedAlert[];
}

/** Waits until so many alerts are marked as sent. A command would be a process for each look. */
async function untilSent(belfry: BelfryProcess, number: number, which = 'true'): Promise<void> {
  const text = `select count(*) as number from alerts where delivery = 'sent' and ${which}`;
  await untilCounted(belfry, { text, number });
}

/** How many runs the process has settled, by its own figures: the database does not say which process settled a run. */
async function countSettled(belfry: BelfryProcess): Promise<number> {
  const figures = await (await fetch(`${belfry.url}/metrics`)).text();
  const counts = figures.matchAll(/^belfry_runs_total\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function makeQueue(belfry: BelfryProcess, name: string): Promise<void> {
  const rules = ['--retries', 'off', '--email-alerts', 'on'];
  const { code, stderr } = await belfry.cli(
    'queue',
    'set',
    '--team',
    TEAM,
    '--queue',
    name,
    ...rules,
  );
  assert.equal(code, 0, stderr);
}

forEachDatabase((_name, makeDatabaseUrl) => {
  describe('a process that is killed between settling a run and notifying', () => {
    declareKill(makeDatabaseUrl);
  });
});

describe('two nodes on one Postgres', () => {
  test('two nodes send each notification once, whichever ran the job', async () => {
    const JOBS = 6;
    await using smtp = await startSmtpServer();
    const gate = makeGate();
    await using target = await startReceiver({ answer: { status: 500, after: gate.opened } });
    await using database = await createMigratedDatabase();
    // So few slots that neither can run all of them.
    const env = { SMTP_URL: smtp.url, MAX_CONCURRENT_REQUESTS: '5' };
    await using first = await startBelfry({ databaseUrl: database.url, env });
    const client = await makeClient(first);
    await using second = await startBelfry({ databaseUrl: database.url, env });
    const queues = Array.from({ length: JOBS }, (_, n) => `queue ${n}`);
    await Promise.all(queues.map((queue) => makeQueue(first, queue)));
    for (const queue of queues) await postJob(client, { queue, url: target.url });
    await target.waitFor(JOBS);
    gate.open();
    await smtp.waitFor(JOBS);
    await untilSent(second, JOBS);
    const alerts = await listAlerts(second);
    assert.deepEqual(
      alerts.map(({ delivery }) => delivery),
      queues.map(() => 'sent'),
    );
    const named = smtp.mails.map(({ subject }) => /“(.+)”/.exec(subject)?.[1] ?? '');
    assert.deepEqual(named.toSorted(), queues.toSorted());
    for (const node of [first, second]) {
      assert.ok((await countSettled(node)) > 0, 'both had a part in it');
    }
    client.close();
  });
});

function declareKill(makeDatabaseUrl: MakeDatabaseUrl) {
  test('a killed process loses no notification: the next process sends it once', async () => {
    const gate = makeGate();
    await using smtp = await startSmtpServer();
    await using target = await startReceiver({ answer: { status: 500, body: 'out of cheese' } });
    await using belfry = await startBelfry({
      databaseUrl: await makeDatabaseUrl(),
      env: { SMTP_URL: smtp.url, BASE_URL: 'https://belfry.example' },
    });
    const client = await makeClient(belfry);
    await Promise.all([makeQueue(belfry, 'first'), makeQueue(belfry, 'second')]);

    // The mail server is slow with the first mail, and a team's notifications are sent one after another.
    const asked = Promise.withResolvers<void>();
    smtp.judgeMails(async () => {
      asked.resolve();
      await gate.opened;
      return { code: 451, text: 'the client is gone' };
    });
    const first = await postJob(client, { queue: 'first', url: `${target.url}/first` });
    await asked.promise;
    const id = await postJob(client, { queue: 'second', url: `${target.url}/second` });
    await untilEnded(belfry, [first, id]);
    const raised = await listAlerts(belfry);
    assert.deepEqual(
      raised.map(({ level, delivery }) => [level, delivery]),
      [
        ['failure', 'pending'],
        ['failure', 'pending'],
      ],
    );
    client.close();
    await belfry.kill();
    gate.open();
    smtp.judgeMails(() => null);
    assert.equal(smtp.mails.length, 0, 'nobody has been notified');

    await using again = await belfry.restart();
    const mail = await smtp.next(({ subject }) => subject.includes('second'));
    assert.match(mail.subject, /Failure: a job of queue “second” was dead-lettered/);
    assert.ok(mail.text.includes(`https://belfry.example/jobs/${id}`));
    assert.deepEqual(mail.to, ['ada@example.com']);
    await untilSent(again, 1, "source_name = 'second'");
    const alerts = await listAlerts(again);
    assert.equal(alerts.length, 2, 'no alert came anew');
    assert.equal(alerts.find((alert) => alert.source_name === 'second')?.delivery, 'sent');
    assert.equal(smtp.mails.filter(({ subject }) => subject.includes('second')).length, 1);
    assert.equal(target.requests.length, 2, 'no job was sent anew');
  });
}
