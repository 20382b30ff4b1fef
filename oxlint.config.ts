import { defineConfig } from 'oxlint';

/**
 * The modules of src/ and what each may import, as docs/architecture.md shows them (a test holds the two together).
 * `packages` are those that only some modules may import; see `OWNED`.
 */
export const MODULES = {
  domain: { imports: [], packages: [] },
  store: { imports: ['domain'], packages: ['pg', 'node:sqlite'] },
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

type Module = keyof typeof MODULES;

/** Packages by the module that they belong to. */
const OWNED = {
  store: ['pg', 'node:sqlite'],
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

/** Of a package that a module may use otherwise. */
const NAMES: Partial<Record<Module, object[]>> = {
  dashboard: [
    {
      name: 'react-router',
      importNames: ['Form'],
      message: 'Forms are forms/Form.tsx: it carries the team and keeps what was typed.',
    },
  ],
};

function closedPackages(module: Module): object[] {
  const open: readonly string[] = MODULES[module].packages;
  const owned = Object.entries(OWNED).flatMap(([owner, names]) =>
    names.map((name) => ({ name, message: `Only ${owner} may import ${name}.` })),
  );
  const outside = OUTSIDE_WORLD.map((name) => {
    return { name, message: 'domain is pure: no clock, disk or network.' };
  });
  return [
    ...owned.filter(({ name }) => !open.includes(name)),
    ...(module === 'domain' ? outside : []),
    ...(NAMES[module] ?? []),
  ];
}

function closedPaths(module: Module): object[] {
  const open: readonly string[] = MODULES[module].imports;
  const walls = Object.keys(MODULES).filter((other) => other !== module && !open.includes(other));
  const may = open.length > 0 ? open.join(', ') : 'nothing of ours';
  return [
    {
      group: [...walls.map((other) => `#${other}/**`), '#demo/**'],
      message: `Wall: ${module} may import ${may} (docs/architecture.md).`,
    },
    { group: [`#${module}/**`], message: 'Inside a module use ./ — # crosses to another module.' },
    {
      regex: '^\\.\\./\\.\\./',
      message: 'A path may not climb out of its module; use its # import.',
    },
    { group: ['**/main.ts'], message: 'Nobody imports main.' },
  ];
}

const CLIMBING = {
  regex: '^\\.\\./',
  message: 'A path may not climb out of its module; use its # import.',
};

/** Files at the top of a module have nothing of it above them. */
function wallsOf(module: Module) {
  const paths = closedPackages(module);
  const patterns = closedPaths(module);
  const restrict = (closed: object[]) => ({
    'no-restricted-imports': ['error', { paths, patterns: closed }] as ['error', object],
  });
  return [
    { files: [`src/${module}/**`], rules: restrict(patterns) },
    { files: [`src/${module}/*.ts`], rules: restrict([...patterns, CLIMBING]) },
    { files: [`src/${module}/**/*.test.ts`], rules: { 'no-restricted-imports': 'off' as const } },
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
  ignorePatterns: ['node_modules', 'build', 'dist', '.react-router'],
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
    ...(Object.keys(MODULES) as Module[]).flatMap(wallsOf),
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
