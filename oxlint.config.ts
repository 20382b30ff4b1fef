import { defineConfig } from 'oxlint';

/**
 * The rooms of src/ and what each may import, as docs/architecture.md shows them (a test holds the two together).
 * `packages` are those that only some rooms may speak to; see `OWNED`.
 */
export const ROOMS = {
  domain: { imports: [], packages: [] },
  store: { imports: ['domain'], packages: ['kysely', 'pg', 'node:sqlite'] },
  outgoing: { imports: ['domain'], packages: ['node:tls', 'node:dns', 'node:dns/promises'] },
  people: { imports: ['domain', 'store'], packages: [] },
  work: { imports: ['domain', 'store'], packages: [] },
  alerts: { imports: ['domain', 'store', 'outgoing'], packages: [] },
  engine: { imports: ['domain', 'store', 'outgoing', 'alerts'], packages: [] },
  api: { imports: ['domain', 'people', 'work'], packages: [] },
  dashboard: { imports: ['domain', 'people', 'work'], packages: [] },
  cli: { imports: ['domain', 'people', 'work'], packages: [] },
  config: { imports: ['domain', 'people'], packages: [] },
  operate: {
    imports: ['domain', 'store', 'outgoing', 'people', 'alerts', 'engine', 'api', 'cli', 'config'],
    packages: ['node:tls'],
  },
  app: {
    imports: [
      'domain',
      'store',
      'outgoing',
      'people',
      'work',
      'alerts',
      'engine',
      'api',
      'dashboard',
      'cli',
      'config',
      'operate',
    ],
    packages: [],
  },
} as const satisfies Record<string, { imports: readonly string[]; packages: readonly string[] }>;

type Room = keyof typeof ROOMS;

/** Packages by the room that they belong to. */
const OWNED = {
  store: ['kysely', 'pg', 'node:sqlite'],
  outgoing: ['node:tls', 'node:dns', 'node:dns/promises'],
  bench: ['undici'],
} as const;

const OUTSIDE_WORLD = [
  'node:fs',
  'node:fs/promises',
  'node:net',
  'node:http',
  'node:https',
  'node:tls',
  'node:timers',
  'node:timers/promises',
  'node:child_process',
  'node:worker_threads',
];

/** Of a package that a room may use otherwise. */
const NAMES: Partial<Record<Room, object[]>> = {
  dashboard: [
    {
      name: 'react-router',
      importNames: ['Form'],
      message: 'Forms are forms/Form.tsx: it carries the team and keeps what was typed.',
    },
  ],
};

function closedPackages(room: Room): object[] {
  const open: readonly string[] = ROOMS[room].packages;
  const owned = Object.entries(OWNED).flatMap(([owner, names]) =>
    names.map((name) => ({ name, message: `Only ${owner} speaks to ${name}.` })),
  );
  const outside = OUTSIDE_WORLD.map((name) => {
    return { name, message: 'domain is pure: no clock, disk or network.' };
  });
  return [
    ...owned.filter(({ name }) => !open.includes(name)),
    ...(room === 'domain' ? outside : []),
    ...(NAMES[room] ?? []),
  ];
}

function closedPaths(room: Room): object[] {
  const open: readonly string[] = ROOMS[room].imports;
  const walls = Object.keys(ROOMS).filter((other) => other !== room && !open.includes(other));
  const may = open.length > 0 ? open.join(', ') : 'nothing of ours';
  return [
    {
      group: [...walls.map((other) => `#${other}/*`), '#demo/*'],
      message: `Wall: ${room} may import ${may} (docs/architecture.md).`,
    },
    { group: [`#${room}/*`], message: 'Inside a room use ./ — # goes through a door.' },
    { regex: '^\\.\\./\\.\\./', message: 'A path may not climb out of its room; use its # door.' },
    { group: ['**/main.ts'], message: 'Nobody imports main.' },
  ];
}

const CLIMBING = {
  regex: '^\\.\\./',
  message: 'A path may not climb out of its room; use its # door.',
};

/** Files at the top of a room have nothing of it above them. */
function wallsOf(room: Room) {
  const paths = closedPackages(room);
  const patterns = closedPaths(room);
  const restrict = (closed: object[]) => ({
    'no-restricted-imports': ['error', { paths, patterns: closed }] as ['error', object],
  });
  return [
    { files: [`src/${room}/**`], rules: restrict(patterns) },
    { files: [`src/${room}/*.ts`], rules: restrict([...patterns, CLIMBING]) },
    { files: [`src/${room}/**/*.test.ts`], rules: { 'no-restricted-imports': 'off' as const } },
  ];
}

const bounded = (max: number): ['error', object] => [
  'error',
  { max, skipBlankLines: true, skipComments: true },
];

const testsAreAwaited: ['error', object] = [
  'error',
  {
    allowForKnownSafeCalls: [
      { from: 'package', name: ['test', 'describe', 'it', 'suite'], package: 'node:test' },
    ],
  },
];

const NOT_OURS = [
  'no-await-in-loop',
  'no-underscore-dangle',
  'no-shadow',
  'no-useless-assignment',
  'unicorn/no-array-sort',
  'unicorn/no-null',
  'unicorn/require-module-specifiers',
  'unicorn/consistent-function-scoping',
  'unicorn/prefer-add-event-listener',
  'unicorn/prefer-event-target',
  'unicorn/require-post-message-target-origin',
  'import/no-unassigned-import',
  'import/no-named-as-default-member',
  'promise/always-return',
  'promise/no-multiple-resolved',
  'promise/avoid-new',
  'typescript/no-unsafe-type-assertion',
  'typescript/no-unnecessary-type-parameters',
  'typescript/consistent-return',
];

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'node'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['node_modules', 'build', 'dist', '.react-router', 'bench/results'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    'import/no-cycle': 'error',
    'max-lines': bounded(400),
    'max-lines-per-function': bounded(60),
    ...Object.fromEntries(NOT_OURS.map((rule) => [rule, 'off' as const])),
  },
  overrides: [
    ...(Object.keys(ROOMS) as Room[]).flatMap(wallsOf),
    // Markup is longer than logic.
    { files: ['src/dashboard/**/*.tsx'], rules: { 'max-lines-per-function': bounded(100) } },
    {
      files: ['**/*.test.ts', 'spec/**', 'testing/**'],
      rules: {
        'max-lines-per-function': 'off',
        'max-lines': 'off',
        'typescript/no-floating-promises': testsAreAwaited,
      },
    },
  ],
});
