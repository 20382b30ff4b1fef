import assert from 'node:assert/strict';
import os from 'node:os';
import { after } from 'node:test';
import { runCommand } from '#cli/program';
import type { Purpose } from '#cli/services';
import { silentLog } from '#domain/base/log';
import type { Migration } from '#store/migrations/migrations';
import { openStore, type Store } from '#store/store';
import { createCommandServices } from '#app/commands';
import { type Config, readConfig } from '#config/config';
import { realClock } from '#app/real-clock';
import { openModules } from '#app/modules';
import { before } from './hooks.ts';
import { makeSqliteUrl } from './process.ts';
import { LIGHT_WORK } from './users.ts';

export const APP_KEY = Buffer.alloc(32, 7);

export interface Ran {
  code: number;
  stdout: string;
  /** The same, parsed; undefined where nothing was printed, or no JSON. */
  json: unknown;
  stderr: string;
}

/** Settings as a process would read them. */
export function configOf(databaseUrl: string, env: Record<string, string> = {}): Config {
  const settings = { DATABASE_URL: databaseUrl, APP_KEY: APP_KEY.toString('base64'), ...env };
  const config = readConfig(settings, os.tmpdir());
  assert.ok(!('errors' in config), JSON.stringify(config));
  return config;
}

/** Settings as a process would read them in its folder; null where they are wrong. */
export function configFrom(env: NodeJS.ProcessEnv, folder: string): Config | null {
  const config = readConfig(env, folder);
  return 'errors' in config ? null : config;
}

export async function openSecondStore(config: Config, { serving = false } = {}): Promise<Store> {
  const location = config.database;
  return openStore({ location, appKey: APP_KEY, clock: realClock, log: silentLog, serving });
}

/**
 * Runs a command in this process, as the command line would. Passwords are hashed with little work.
 *
 * @param env  the command's environment
 */
export async function run(
  config: Config,
  argv: readonly string[],
  {
    env = {},
    migrations,
  }: {
    env?: NodeJS.ProcessEnv;
    migrations?: readonly Migration[];
  } = {},
): Promise<Ran> {
  const texts = { stdout: '', stderr: '' };
  const terminal = {
    print: (text: string) => void (texts.stdout += text),
    say: (text: string) => void (texts.stderr += text),
    drained: async () => {},
    isInteractive: false,
  };
  const services = {
    ...createCommandServices(config, terminal, env),
    open: (purpose: Purpose) =>
      openModules(config, purpose, { passwordWork: LIGHT_WORK, migrations }),
  };
  const code = await runCommand(argv, services);
  return { code, ...texts, json: parse(texts.stdout) };
}

export type Json = Record<string, unknown>;

export const words = (text: string): string[] => text.split(' ');

/**
 * Runs commands with a configuration: `printed` gives the JSON of a command that succeeds, `refused` the line of one
 * that fails.
 */
export function commandsOf(config: () => Config, env: NodeJS.ProcessEnv = {}) {
  return {
    printed: async (...argv: string[]): Promise<Json & Json[]> => {
      const { code, json, stderr } = await run(config(), argv, { env });
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      return json as Json & Json[];
    },
    refused: async (...argv: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(config(), argv, { env });
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /^belfry: [^\n]+\n$/);
      return stderr.slice('belfry: '.length, -1);
    },
  };
}

/** Runs doctor; `of` finds the finding of a check. */
export async function doctor(config: Config) {
  const { code, json, stderr } = await run(config, ['doctor']);
  const findings = json as { check: string; status: string; message: string }[];
  const of = (check: string) => findings.find((finding) => finding.check === check);
  return { code, stderr, findings, of };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Commands on a SQLite database with the team Acme. The database is open while the tests of the caller run. */
export function useCommands(env: NodeJS.ProcessEnv = {}) {
  const open = {} as { config: Config; store: Store; teamId: string };
  before(async () => {
    open.config = configOf(await makeSqliteUrl());
    open.store = await openSecondStore(open.config);
    open.teamId = (await open.store.teams.create('Acme', 'free', realClock.now())).id;
  });
  after(() => open.store.close());
  return { open, ...commandsOf(() => open.config, env) };
}
