/** The commands of README and docs/getting-started.md, run as they are written, with the default settings. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '#testing/free-port';
import { commandsOf, readPage } from '#testing/markdown';
import { type BelfryProcess, startBelfry } from '#testing/process';
import { untilSucceeded } from '#testing/remote';

const ROOT = path.dirname(import.meta.dirname);
/** A clone of the repository and a user's machine have both; `npm test` needs npm anyway. */
const isThere = ['curl', 'npm'].every((program) => !spawnSync(program, ['--version']).error);
const run = promisify(execFile);

describe('the first request', { skip: !isThere && 'there is no curl or no npm' }, () => {
  let belfry: BelfryProcess;
  let token = '';
  let readme: string[];

  before(async () => {
    // No name is looked up outside this machine: example.com is the target of getting-started.md.
    const env = { API_RATE_LIMIT: undefined, ALLOWED_NETWORKS: undefined };
    belfry = await startBelfry({ env: { ...env, DNS_SERVERS: `127.0.0.1:${await freePort()}` } });
    readme = commandsOf(readPage('README.md'));
    ({ apiToken: token } = (await runBlock(readme[1] ?? '')) as { apiToken: string });
  });
  after(() => belfry[Symbol.asyncDispose]());

  /** Runs one block in the repository's root, on the service of this test, and parses what it prints. */
  async function runBlock(block: string, id = ''): Promise<unknown> {
    const command = block
      .replaceAll('http://127.0.0.1:3000', belfry.url)
      .replaceAll('<apiToken>', token)
      .replaceAll('<id>', id);
    const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, TOKEN: token };
    const { stdout } = await run('sh', ['-euc', command], {
      cwd: ROOT,
      env: { ...env, DATABASE_URL: belfry.databaseUrl, ALLOWED_NETWORKS: '' },
    });
    return JSON.parse(stdout) as unknown;
  }

  /** The same for a command of the command line, but in this process: another test runs one by npm. */
  async function runCommand(block: string, id = ''): Promise<unknown> {
    assert.match(block, /^npm run -s belfry -- /);
    const printWords = block
      .replace('npm run -s belfry --', "printf '%s\\0'")
      .replaceAll('<id>', id);
    const { stdout } = await run('sh', ['-euc', printWords]);
    const { code, json, stderr } = await belfry.cli(...stdout.split('\0').slice(0, -1));
    assert.equal(code, 0, stderr);
    return json;
  }

  test('the commands of README create a user and a job, and show that it succeeded', async () => {
    const [start, , createJob = '', listJobs = '', ...more] = readme;
    assert.equal(start, 'npm ci && npm start');
    assert.deepEqual(more, []);
    // The delay is all that a test shortens.
    const sooner = createJob.replace('"delay":10', '"delay":0');
    assert.notEqual(sooner, createJob);
    const created = (await runBlock(sooner)) as { success: boolean; job_id: string };
    assert.equal(created.success, true);
    await untilSucceeded(belfry, [created.job_id]);
    const [job] = (await runCommand(listJobs)) as { status: string }[];
    assert.equal(job?.status, 'success');
  });

  test('the commands of getting-started.md create a job, a queue and a cron, and run it', async () => {
    const [keep, createJob = '', setQueue = '', createCron = '', listCrons = '', runCron, start] =
      commandsOf(readPage('docs/getting-started.md'));
    assert.equal(keep, 'export TOKEN=<apiToken>');
    assert.equal(start, 'ALLOWED_NETWORKS=127.0.0.0/8 npm start');
    const job = (await runBlock(createJob)) as { queue_id: string };
    const queue = (await runCommand(setQueue)) as Record<string, unknown>;
    assert.equal(queue['id'], job.queue_id);
    assert.deepEqual(
      [queue['timeout_seconds'], queue['retry_schedule'], queue['concurrency_limit']],
      [60, [10, 300], 4],
    );
    const cron = (await runBlock(createCron)) as { id: string };
    const crons = (await runCommand(listCrons)) as { id: string }[];
    assert.deepEqual(
      crons.map(({ id }) => id),
      [cron.id],
    );
    const [runNow = '', listRuns = ''] = runCron?.split('\n') ?? [];
    const { id } = (await runCommand(runNow, cron.id)) as { id: string };
    const runs = (await runCommand(listRuns, cron.id)) as { id: string }[];
    assert.deepEqual(
      runs.map((each) => each.id),
      [id],
    );
  });
});
