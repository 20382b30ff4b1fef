import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { callHttp } from '#testing/client';
import { before } from '#testing/hooks';
import { Validator } from '@seriousme/openapi-schema-validator';
import { generateSource } from 'oazapfts';
import { useService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const ROOT = path.dirname(import.meta.dirname);

type Answer = { status: number; data: Record<string, unknown> };
type Call = (body: object, options?: { headers: Record<string, string> }) => Promise<Answer>;
interface Client {
  createCron: Call;
  createJob: Call;
}

/** What everybody's tools make of the document that the service gives (§4). */
describe('/openapi.json', () => {
  const service = useService(openSqliteTestStore, { sends: false });
  let document: Record<string, unknown>;
  let folder: string;
  let client: Client;

  before(async () => {
    // The client's calls find no connection that the server ends meanwhile.
    const { json } = await callHttp(`${service.url}/openapi.json`, { method: 'GET' });
    document = json;
    // Inside the project, where the client finds what it runs on.
    fs.mkdirSync(path.join(ROOT, 'build'), { recursive: true });
    folder = fs.mkdtempSync(path.join(ROOT, 'build/openapi-client-'));
    const given = path.join(folder, 'openapi.json');
    fs.writeFileSync(given, JSON.stringify(document));
    const file = path.join(folder, 'client.ts');
    fs.writeFileSync(file, await generateSource(given));
    client = (await import(pathToFileURL(file).href)) as Client;
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  const asAda = () => ({ headers: { Authorization: `Bearer ${service.token}` } });

  test('/openapi.json is a valid OpenAPI document', async () => {
    const result = await new Validator().validate({ ...document });
    assert.deepEqual(result.errors, undefined);
    assert.equal(result.valid, true);
    const broken = await new Validator().validate({ ...document, paths: { crons: 5 } });
    assert.equal(broken.valid, false);
  });

  test('a client generated from /openapi.json creates a cron and a job', async () => {
    const cron = await client.createCron(
      { name: 'Nightly', url: 'https://example.com/', cron_expression: '0 3 * * *' },
      asAda(),
    );
    assert.deepEqual([cron.status, cron.data['name']], [201, 'Nightly']);
    const job = await client.createJob(
      { queue: 'mails', url: 'https://example.com/', payload: { a: [1] }, delay: 3600 },
      asAda(),
    );
    assert.deepEqual([job.status, job.data['success']], [201, true]);
    const { work, teamId } = service;
    const stored = await work.findJob(teamId, String(job.data['job_id']));
    assert.equal(stored?.status, 'pending');
    assert.notEqual(await work.findCron(teamId, String(cron.data['id'])), null);
  });

  test('a generated client gets errors as JSON and no redirect', async () => {
    const invalid = await client.createJob({ queue: 'mails', url: 'nowhere' }, asAda());
    assert.equal(invalid.status, 422);
    assert.deepEqual(invalid.data['errors'], { url: ['The target URL must be a valid URL.'] });
    const rejected = await client.createJob({ queue: 'mails', url: 'https://example.com/' });
    assert.equal(rejected.status, 401);
  });
});
