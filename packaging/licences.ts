import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './places.ts';

export const BUILD_PACKAGES = ['@react-router/dev', 'vite'];

/** Bundled, so nothing loads them at run time. */
export const DASHBOARD_PACKAGES = [
  '@react-router/node',
  'cronstrue',
  'qr',
  'react',
  'react-dom',
  'react-router',
];

/** The Latin subset of @fontsource-variable/inter, copied because the package has 2 MB of other subsets. */
const TYPEFACE = {
  name: 'Inter',
  version: '5.3.0',
  licence: 'OFL-1.1',
  folder: 'src/dashboard/fonts',
};

interface Locked {
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
}
type LockFile = { packages: Record<string, Locked> };

interface Part {
  name: string;
  version: string;
  licence: string;
  /** `node_modules/pg` */
  folder: string;
}

function listPackages(): Part[] {
  const lock = readJson<LockFile>('package-lock.json');
  const named = Object.keys(lock.packages['']?.dependencies ?? {});
  const shipped = named.filter((name) => !BUILD_PACKAGES.includes(name));
  const folders = findAll(shipped, lock);
  return folders.toSorted().map((folder) => {
    const { version = '', license: licence = 'see below' } = lock.packages[folder] ?? {};
    const at = folder.lastIndexOf('node_modules/') + 'node_modules/'.length;
    return { name: folder.slice(at), version, licence, folder };
  });
}

export function writeLicences(): string {
  const texts = [...listPackages(), TYPEFACE].map(writeOne);
  return `Belfry holds these packages, each under its own licence.\n\n${texts.join('\n')}`;
}

/** Without packages of other platforms. */
function findAll(names: readonly string[], { packages }: LockFile): string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string) => {
    const folder = resolveFrom(name, from, packages);
    if (folder === null || found.has(folder) || !fs.existsSync(path.join(ROOT, folder))) return;
    found.add(folder);
    for (const each of Object.keys(packages[folder]?.dependencies ?? {})) visit(each, folder);
  };
  for (const name of names) visit(name, '');
  return [...found];
}

/** As Node does: in the folder, then in those around it. */
function resolveFrom(name: string, from: string, packages: LockFile['packages']): string | null {
  const folder = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[folder] !== undefined) return folder;
  if (from === '') return null;
  const around = from.lastIndexOf('/node_modules/');
  return resolveFrom(name, around === -1 ? '' : from.slice(0, around), packages);
}

function writeOne({ name, version, licence, folder }: Part): string {
  const file = fs
    .readdirSync(path.join(ROOT, folder))
    .find((each) => /^(licen[cs]e|copying)(\.(md|txt|mit))?$/i.test(each));
  // Some publish only the licence's name.
  const text = file === undefined ? '' : fs.readFileSync(path.join(ROOT, folder, file), 'utf8');
  return `${'-'.repeat(78)}\n${name} ${version} (${licence})\n\n${text.trim()}\n`;
}

function readJson<T>(name: string): T {
  return JSON.parse(fs.readFileSync(path.join(ROOT, name), 'utf8')) as T;
}
