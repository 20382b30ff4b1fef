/**
 * `npm run demo`, `belfry demo`: a sample team with a month of history and its own target, in `data/demo`. Each start
 * recreates it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { EXIT, say as sayError } from '#app/exit';
import { loadAppKey } from '#store/app-key';
import { takeServingLock } from '#store/serving-lock';
import { readConfig } from '#config/config';
import { DEMO, seedDemo } from './seed.ts';
import { type DemoTarget, startDemoTarget } from './target.ts';

const FOLDER = path.resolve('data/demo');
const JOB_EVERY_MS = 20_000;

export const DEMO_SETTINGS = {
  DATABASE_URL: `sqlite:${path.join(FOLDER, 'belfry.db')}`,
  ALLOWED_NETWORKS: '127.0.0.0/8',
  PLANS: 'free=1000,team=5000',
};

const say = (line: string) => void process.stderr.write(`${line}\n`);

export async function makeDemoData(target: DemoTarget): Promise<string> {
  fs.rmSync(FOLDER, { recursive: true, force: true });
  const config = readConfig(DEMO_SETTINGS, FOLDER);
  if ('errors' in config) throw new Error(config.errors.join('\n'));
  return seedDemo({ config, appKey: loadAppKey(config), target });
}

/**
 * Until this process ends, because a second demo would delete the data that the first one serves.
 * @returns false if another demo runs or the folder can't be used, which is reported
 */
function lockFolder(): boolean {
  try {
    fs.mkdirSync(path.dirname(FOLDER), { recursive: true });
    process.once('exit', takeServingLock(FOLDER));
    return true;
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException;
    const remedy =
      syscall === undefined ? '' : '; start the demo in a folder that you may write to';
    sayError(`${message}${remedy}`);
    process.exitCode = EXIT.fault;
    return false;
  }
}

/** Otherwise the service reports a wrong setting only after the data was made. */
function hasRightSettings(): boolean {
  const config = readConfig({ ...process.env, ...DEMO_SETTINGS }, process.cwd());
  if (!('errors' in config)) return true;
  for (const error of config.errors) sayError(error);
  process.exitCode = EXIT.wrongSetting;
  return false;
}

/** @param serve starts the service in this process with the settings of its environment; it ends the process */
export async function runDemo(serve: () => Promise<void>): Promise<void> {
  if (!hasRightSettings() || !lockFolder()) return;
  const target = await startDemoTarget();
  say('Making a month of history; this takes up to a minute.');
  const token = await makeDemoData(target);
  Object.assign(process.env, DEMO_SETTINGS);
  await serve();
  const port = process.env['PORT'] ?? '3000';
  say(
    `\nSign in at http://localhost:${port} as ${DEMO.email} with the password: ${DEMO.password}\n`,
  );
  setInterval(() => void sendJob(port, token, target.url), JOB_EVERY_MS);
}

/** Most jobs succeed, some are retried. */
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
