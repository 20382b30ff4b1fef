/**
 * `npm run demo`: a sample team with a month of history, served with a target of its own, until it is stopped.
 * Everything is in `data/demo`, which each start makes anew.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '#config';
import { loadAppKey } from '../../src/appKey.ts';
import { DEMO, seedDemo } from './seed.ts';
import { startDemoTarget } from './target.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'data/demo');
const JOB_EVERY_MS = 20_000;

export const DEMO_SETTINGS = {
  DATABASE_URL: `sqlite:${path.join(FOLDER, 'belfry.db')}`,
  ALLOWED_NETWORKS: '127.0.0.0/8',
  PLANS: 'free=1000,team=5000',
};

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Makes the demo's database anew and gives the API token of its first user. */
export async function makeDemoData(targetUrl: string): Promise<string> {
  fs.rmSync(FOLDER, { recursive: true, force: true });
  const config = readConfig(DEMO_SETTINGS, ROOT);
  if ('errors' in config) throw new Error(config.errors.join('\n'));
  return seedDemo({ config, appKey: loadAppKey(config), targetUrl });
}

export async function runDemo(): Promise<void> {
  const target = await startDemoTarget();
  say('Making a month of history; this takes up to a minute.');
  const token = await makeDemoData(target.url);
  const env = { ...process.env, ...DEMO_SETTINGS };
  const service = spawn(process.execPath, [path.join(ROOT, 'src/main.ts')], {
    stdio: 'inherit',
    env,
  });
  const ended = once(service, 'exit');
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => service.kill(signal));
  const port = process.env['PORT'] ?? '3000';
  await untilReady(port, ended);
  say(
    `\nSign in at http://localhost:${port} as ${DEMO.email} with the password: ${DEMO.password}\n`,
  );
  const traffic = setInterval(() => void sendJob(port, token, target.url), JOB_EVERY_MS);
  await ended;
  clearInterval(traffic);
  target.close();
}

/** Something to watch: most arrive, some are retried. */
async function sendJob(port: string, token: string, target: string): Promise<void> {
  await fetch(`http://localhost:${port}/api/jobs`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    },
    body: JSON.stringify({
      queue: 'mail',
      url: `${target}/mail`,
      payload: { template: 'welcome' },
    }),
  }).catch((error: unknown) => say(`A job of the demo was not accepted: ${String(error)}`));
}

/** The way in is told last, below what the service says while it starts. */
async function untilReady(port: string, ended: Promise<unknown>): Promise<void> {
  const isOver = ended.then(() => true);
  const isReady = async () =>
    fetch(`http://localhost:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) if (await Promise.race([isOver, delay(100, false)])) return;
}
