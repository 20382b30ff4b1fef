/** §5.6: signing of outgoing requests and callbacks. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readVerificationSamples } from '#dashboard/words/verification-samples';
import { makeFolder } from '#testing/guard';
import type { ReceivedRequest } from '#testing/receiver';
import {
  headerLinesOf,
  jobText,
  makeOnceQueue,
  useServiceAndTarget,
  runCron,
  runJob,
  startWireReceiver,
} from '#testing/runs';
import { MINUTE, scheduleJob } from '#testing/scheduling';
import { startService } from '#testing/service';
import { openSqliteTestStore } from '#testing/stores';

const DOCS = fs.readFileSync(path.join(import.meta.dirname, '../docs/signing.md'), 'utf8');

const { service, target } = useServiceAndTarget(openSqliteTestStore);
let count = 0;

/** Makes a secret as the operator's command does. */
function rotate(): Promise<string> {
  return service.people.operator.generateSigningSecret(service.teamId);
}

async function received(fields: Record<string, unknown> = {}, payload: string | null = null) {
  const url = `/job-${count++}`;
  await runJob(service, jobText({ url: target.url + url, ...fields }, payload));
  return target.next((request) => request.url.startsWith(url));
}

function headerOf({ headers }: ReceivedRequest, name: string): string | undefined {
  const value = headers[name];
  assert.ok(!Array.isArray(value), `${name} comes once`);
  return value;
}

function assertSigned(request: ReceivedRequest, secret: string, atMs: number): void {
  const timestamp = headerOf(request, 'x-service-timestamp');
  const signature = headerOf(request, 'x-service-signature');
  assert.equal(timestamp, String(Math.floor(atMs / 1000)));
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(request.body);
  assert.equal(signature, expected.digest('hex'));
  assert.match(signature ?? '', /^[0-9a-f]{64}$/);
}

function assertUnsigned({ rawHeaders }: ReceivedRequest): void {
  assert.deepEqual(
    rawHeaders.filter((text) => /^x-service-/i.test(text)),
    [],
  );
}

describe('signature headers', () => {
  test('requests and callbacks of jobs and crons have both signature headers', async () => {
    const secret = await rotate();
    const callback_url = `${target.url}/signed-callback`;
    assertSigned(await received({ callback_url }), secret, service.clock.now());
    const jobs = await target.next(({ url }) => url === '/signed-callback');
    assert.match(String(jobs.body), /^\{"type":"job_execution"/);
    assertSigned(jobs, secret, service.clock.now());
    await runCron(service, { url: `${target.url}/cron`, callback_url });
    assertSigned(await target.next(({ url }) => url === '/cron'), secret, service.clock.now());
    const crons = await target.next(({ url }) => url === '/signed-callback');
    assert.match(String(crons.body), /^\{"type":"cron_execution"/);
    assertSigned(crons, secret, service.clock.now());
  });

  test('configured headers can neither replace nor double the signature headers', async () => {
    const secret = await rotate();
    const headers = { 'x-service-signature': 'forged', 'X-SERVICE-TIMESTAMP': '1' };
    const request = await received({ headers });
    assertSigned(request, secret, service.clock.now());
    assert.equal(request.rawHeaders.filter((name) => /^x-service-/i.test(name)).length, 2);
  });

  test('X-Service-Timestamp is the time of sending, not of accepting', async () => {
    const secret = await rotate();
    await scheduleJob(service, { url: `${target.url}/delayed`, delay: 45 });
    await service.advance(45_900);
    const request = await target.next(({ url }) => url === '/delayed');
    assertSigned(request, secret, service.clock.now() - 900);
  });
});

describe('rotating the secret (§5.6)', () => {
  test('a rotated secret signs waiting jobs and callbacks of running jobs, a removed one nothing', async () => {
    const old = await rotate();
    const gate = Promise.withResolvers<void>();
    target.answer('/under-way', { after: gate.promise });
    await scheduleJob(service, { url: `${target.url}/waiting`, delay: 30 });
    const callback_url = `${target.url}/rotated`;
    await scheduleJob(service, { url: `${target.url}/under-way`, callback_url });
    const underWay = await target.next(({ url }) => url === '/under-way');
    assertSigned(underWay, old, service.clock.now());

    const fresh = await rotate();
    assert.notEqual(fresh, old);
    gate.resolve();
    assertSigned(await target.next(({ url }) => url === '/rotated'), fresh, service.clock.now());
    await service.advance(MINUTE);
    const waiting = await target.next(({ url }) => url === '/waiting');
    const timestamp = Number(headerOf(waiting, 'x-service-timestamp')) * 1000;
    assertSigned(waiting, fresh, timestamp);
    await service.store.teams.removeSigningSecret(service.teamId);
    assertUnsigned(await received({ callback_url }, '[1]'));
    assertUnsigned(await target.next(({ url }) => url === '/rotated'));
  });

  test('a prepared secret signs nothing until it is activated, and each run names its secret', async () => {
    const old = await rotate();
    const { store, people, teamId, clock } = service;
    const [owner] = await store.members.list(teamId);
    assert.ok(owner);
    const actor = { userId: owner.userId, teamId, role: 'owner' } as const;
    const next = await people.signing.generateNextSecret(actor);
    assert.ok(next);
    const signed = async (secret: string) => {
      const { job_id } = await scheduleJob(service, { url: `${target.url}/next` });
      const request = await target.next(({ url }) => url === '/next');
      assertSigned(request, secret, clock.now());
      await service.quiet();
      const detail = await service.work.readJobDetail(teamId, job_id);
      assert.equal(detail?.request.signedWith, secret.slice(-4));
    };
    await signed(old);
    assert.equal(await people.signing.useNextSecret(actor), true);
    await signed(next);
    assert.equal(await store.teams.readSigningSecretSetAt(teamId, 'next'), null);
    assert.equal(await people.signing.useNextSecret(actor), false);
    await signed(next);
  });
});

interface Vector {
  secret: string;
  timestamp: string;
  body: string;
  signature: string;
}

/** The rows of the table of values that the docs page ends with. */
function readVectors(): Vector[] {
  const rows = DOCS.slice(DOCS.indexOf('## Values to test against')).match(/^\| `.*$/gm) ?? [];
  return rows.map((row) => {
    const cells = row.split('|').slice(1, -1);
    const [secret = '', timestamp = '', body = '', signature = ''] = cells.map((cell) =>
      cell.trim().replaceAll('`', ''),
    );
    return { secret, timestamp, body, signature };
  });
}

/** The only block of a language that the docs page has under this heading. */
function readSnippet(heading: string): string {
  const section = DOCS.split(`\n### ${heading}\n`)[1] ?? '';
  return /```\w+\n([\s\S]*?)```/.exec(section)?.[1] ?? assert.fail(`no snippet for ${heading}`);
}

const vectors = readVectors();

/** Signatures that a verifier must accept or reject, as in the docs page. */
const trials = vectors.flatMap(({ secret, timestamp, body, signature }) => {
  const now = Number(timestamp);
  const forged = signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  const trial = { secret, timestamp, signature, body, now, ok: false };
  return [
    { ...trial, ok: true },
    { ...trial, ok: true, now: now + 300 },
    { ...trial, ok: true, now: now - 300 },
    { ...trial, now: now + 301 },
    { ...trial, now: now - 301 },
    { ...trial, signature: forged },
    { ...trial, signature: '' },
    { ...trial, signature: signature.slice(0, 62) },
    { ...trial, body: `${body} ` },
    { ...trial, secret: `${secret}x` },
    { ...trial, timestamp: String(now + 1) },
    { ...trial, timestamp: '' },
    { ...trial, timestamp: '1e9' },
  ];
});

test("the docs page's example request arrives byte for byte", async () => {
  const [withBody, withoutBody, ...more] = vectors;
  assert.ok(withBody && withoutBody && more.length === 0);
  await using wire = await startWireReceiver();
  await using signing = await startService(openSqliteTestStore);
  await makeOnceQueue(signing);
  signing.clock.jumpTo(Number(withBody.timestamp) * 1000);
  await signing.store.teams.setSigningSecret(signing.teamId, withBody.secret, 0);
  const payload = '{"invoice":1001,"url":"https://example.com/café"}';
  assert.ok(DOCS.includes(`\`${payload}\``));
  await runJob(signing, jobText({ url: wire.url }, payload));
  const request = await wire.next();
  assert.ok(request.endsWith(`\r\n\r\n${withBody.body}`));
  assert.deepEqual(headerLinesOf(request).slice(-2), [
    `X-Service-Signature: ${withBody.signature}`,
    `X-Service-Timestamp: ${withBody.timestamp}`,
  ]);
  await runJob(signing, jobText({ url: wire.url, method: 'GET' }, payload));
  assert.deepEqual(headerLinesOf(await wire.next()).slice(-2), [
    `X-Service-Signature: ${withoutBody.signature}`,
    `X-Service-Timestamp: ${withoutBody.timestamp}`,
  ]);
});

function isInstalled(program: string, asked = '--version'): boolean {
  return spawnSync(program, [asked], { stdio: 'ignore' }).status === 0;
}

describe('the verifiers of the docs page', () => {
  /** How a sample is run: it reads the trials as JSON from its input and prints a list of verdicts. */
  interface Run {
    /** The program, and the argument with which it shows its version. */
    program: string;
    version?: string;
    args: readonly string[];
    /** The files beside the sample, whose own name comes first. */
    files: (code: string) => Record<string, string>;
    env?: Record<string, string>;
  }

  const headers = (field: (name: string) => string, arrow: string) =>
    ['timestamp', 'signature'].map((name) => `"x-service-${name}"${arrow}${field(name)}`).join();
  const runs: Record<string, Run> = {
    Node: {
      program: process.execPath,
      args: ['run.mjs'],
      files: (code) => ({
        'verify.mjs': code,
        'run.mjs': `
import fs from 'node:fs';
import { isFromBelfry } from './verify.mjs';
const trials = JSON.parse(fs.readFileSync(0, 'utf8'));
console.log(JSON.stringify(trials.map((t) =>
  isFromBelfry(t.secret, { ${headers((name) => `t.${name}`, ': ')} }, Buffer.from(t.body), t.now))));`,
      }),
    },
    Python: {
      program: 'python3',
      args: ['verify.py'],
      files: (code) => ({
        'verify.py': `${code}
import json, sys
print(json.dumps([is_from_belfry(t["secret"], {${headers((name) => `t["${name}"]`, ': ')}}, t["body"].encode(), t["now"]) for t in json.load(sys.stdin)]))`,
      }),
    },
    Go: {
      program: 'go',
      version: 'version',
      args: ['run', '.'],
      files: (code) => ({
        'belfry/verify.go': code,
        'go.mod': 'module verify\n',
        'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"time"
	"verify/belfry"
)

func main() {
	var trials []struct {
		Secret, Timestamp, Signature, Body string
		Now                                int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&trials); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, t := range trials {
		header := http.Header{}
		header.Set("X-Service-Timestamp", t.Timestamp)
		header.Set("X-Service-Signature", t.Signature)
		verdicts = append(verdicts, belfry.IsFromBelfry(t.Secret, header, []byte(t.Body), time.Unix(t.Now, 0)))
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`,
      }),
      env: { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=mod' },
    },
    PHP: {
      program: 'php',
      args: ['verify.php'],
      files: (code) => ({
        'verify.php': `${code}
echo json_encode(array_map(fn ($t) => isFromBelfry($t['secret'], [${headers((name) => `$t['${name}']`, ' => ')}], $t['body'], $t['now']), json_decode(file_get_contents('php://stdin'), true)));`,
      }),
    },
    Ruby: {
      program: 'ruby',
      args: ['verify.rb'],
      files: (code) => ({
        'verify.rb': `${code}
require 'json'
puts JSON.generate(JSON.parse($stdin.read).map { |t| from_belfry?(t['secret'], { ${headers((name) => `t['${name}']`, ' => ')} }, t['body'], t['now']) })`,
      }),
    },
  };

  const samples = readVerificationSamples(DOCS);
  test('every verifier of docs/signing.md is run', () =>
    assert.deepEqual(
      samples.map(({ language }) => language),
      Object.keys(runs),
    ));

  for (const { language, code } of samples) {
    const { program, version, args, files, env } = runs[language] ?? assert.fail(language);
    const skip = isInstalled(program, version) ? false : `${program} is not installed`;
    test(`the ${language} verifier accepts valid signatures and rejects others`, { skip }, () => {
      const folder = makeFolder();
      for (const [name, text] of Object.entries(files(code))) {
        fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        fs.writeFileSync(path.join(folder, name), text);
      }
      const printed = execFileSync(program, args, {
        cwd: folder,
        input: JSON.stringify(trials),
        env: { ...process.env, GOCACHE: path.join(folder, 'cache'), ...env },
      });
      assert.deepEqual(
        JSON.parse(String(printed)),
        trials.map(({ ok }) => ok),
      );
    });
  }

  const noOpenssl = isInstalled('openssl', 'version') ? false : 'openssl is not installed';
  test('the shell example prints the signature', { skip: noOpenssl }, () => {
    for (const { secret, timestamp, body, signature } of vectors) {
      const file = path.join(makeFolder(), 'body');
      fs.writeFileSync(file, body);
      const env = {
        PATH: process.env['PATH'],
        SECRET: secret,
        TIMESTAMP: timestamp,
        BODY_FILE: file,
      };
      const printed = execFileSync('/bin/sh', ['-c', readSnippet('Shell')], { env });
      assert.equal(String(printed).trim(), signature);
    }
  });
});
