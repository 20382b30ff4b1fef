import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readPage, rowsOf } from '#testing/markdown';
import { type Config, publicAddress, readConfig } from './config.ts';
import { type SettingName, SETTINGS } from './settings.ts';

const KEY = Buffer.alloc(32, 7);
const KEY_TEXT = KEY.toString('base64');
const POSTGRES = { DATABASE_URL: 'postgres://belfry:hush@db/belfry', APP_KEY: KEY_TEXT };

function accepted(env: NodeJS.ProcessEnv): Config {
  const config = readConfig(env, '/srv');
  assert.ok(!('errors' in config), JSON.stringify(config));
  return config;
}

function refused(env: NodeJS.ProcessEnv): readonly string[] {
  const config = readConfig(env, '/srv');
  assert.ok('errors' in config, 'these settings must not be accepted');
  return config.errors;
}

/** For each variable its field, and the values that texts give. Other whole numbers are read as PORT is. */
const GOOD: { [Name in SettingName]?: [field: keyof Config, rows: Record<string, unknown>] } = {
  HOST: [
    'host',
    {
      '0.0.0.0': '0.0.0.0',
      '::': '::',
      'belfry.internal': 'belfry.internal',
      ' localhost ': 'localhost',
    },
  ],
  BASE_URL: [
    'baseUrl',
    {
      'https://b.example': 'https://b.example',
      'http://b.example:8080/': 'http://b.example:8080',
      'HTTPS://B.example:443': 'https://b.example',
      'https://b.example/belfry/': 'https://b.example/belfry',
      'https://b.example/a/b-2': 'https://b.example/a/b-2',
    },
  ],
  DATABASE_URL: [
    'database',
    {
      'sqlite:./x/b.db': { kind: 'sqlite', path: '/srv/x/b.db' },
      'sqlite:b.db': { kind: 'sqlite', path: '/srv/b.db' },
      'sqlite:/var/b.db': { kind: 'sqlite', path: '/var/b.db' },
      'sqlite:///var/b.db': { kind: 'sqlite', path: '/var/b.db' },
      'sqlite::memory:': { kind: 'sqlite-memory' },
    },
  ],
  APP_KEY: ['appKey', { [KEY_TEXT]: KEY, [KEY_TEXT.replace('=', '')]: KEY }],
  ALLOWED_NETWORKS: [
    'allowedNetworks',
    {
      '127.0.0.0/8': [{ base: '127.0.0.0', prefix: 8 }],
      '10.0.0.0/8, 192.168.1.0/24': [
        { base: '10.0.0.0', prefix: 8 },
        { base: '192.168.1.0', prefix: 24 },
      ],
    },
  ],
  DNS_SERVERS: [
    'dnsServers',
    {
      '127.0.0.1:5353': ['127.0.0.1:5353'],
      '1.1.1.1, ::1,[::1]:53': ['1.1.1.1', '::1', '[::1]:53'],
    },
  ],
  PLANS: [
    'plans',
    {
      'free=10': [{ name: 'free', monthlyLimit: 10 }],
      'team=0, pro=unlimited': [
        { name: 'team', monthlyLimit: 0 },
        { name: 'pro', monthlyLimit: null },
      ],
    },
  ],
  MASKED_FIELDS: ['maskedFields', { 'card_number, IBAN': ['card_number', 'IBAN'] }],
  HISTORY_MAX_MB: ['historyMaxBytes', { 10: 10_485_760, 20480: 21_474_836_480 }],
  BACKUP_FOLDER: [
    'backups',
    {
      copies: { folder: '/srv/copies', everyHours: 24, keep: 7 },
      '/var/backups': { folder: '/var/backups', everyHours: 24, keep: 7 },
    },
  ],
};

const BAD: { [Name in SettingName]?: string[] } = {
  HOST: ['a b', 'http://x', '999.1.1.1', 'x:80', '-x'],
  PORT: ['-1', '65536', '80.5', '0x50', 'http', '1e3'],
  BASE_URL: [
    'belfry.example.com',
    'ftp://b.example',
    'https://b.example//path',
    'https://b.example/a b',
    'https://b.example/a%2fb',
    'https://b.example/a"b',
    'https://b.example/a.',
    'https://b.example/?q',
    'https://u:hidden@b.example',
  ],
  DATABASE_URL: [
    'sqlite:',
    'sqlite:dir/',
    'sqlite://data/b.db',
    'mysql://u:hidden@h/d',
    'postgres://',
    'b.db',
  ],
  DATABASE_SCHEMA: ['Teams', '1st', 'pg_own', 'a-b', 'x'.repeat(51), 'a"b'],
  APP_KEY: [
    'hidden',
    Buffer.alloc(31).toString('base64'),
    Buffer.alloc(33).toString('base64'),
    `${KEY_TEXT}x`,
  ],
  ALLOWED_NETWORKS: ['fd00::/8', '10.0.0.0/33', '10.0.0.0/8,,', '0xa.0.0.0/8', 'localhost/8'],
  DNS_SERVERS: ['dns.example', '1.1.1.1:0', '1.1.1.1:65536', '[1.1.1.1]:53', '1.1.1.1,'],
  PLANS: ['free', 'free=', 'free=-1', 'free=10,free=20', 'free=10,', 'a b=1', 'free=Unlimited'],
  OIDC_ISSUER: [
    'id.example',
    'http://id.example',
    'http://localhost.example',
    'https://u:hidden@id.example',
    'https://id.example/?realm=a',
  ],
  PROXY_SIGN_IN_HEADER: ['Remote_Email', 'Remote Email', 'X:A', 'Cookie', 'Sec-Email', 'From'],
  PROXY_SIGN_IN_FROM: ['0.0.0.0/0', '::/0', 'proxy.internal', '127.0.0.1,', '10.0.0.0/33'],
  PROXY_SIGN_OUT_URL: [
    '//evil.example',
    'javascript:alert(1)',
    'sign_out',
    'https://u:p@a.example',
  ],
  MASKED_FIELDS: ['card,', 'two words', 'a=b', 'x'.repeat(101)],
  MAIL_FROM: ['belfry', 'a@b@c', 'A <a@b> <c@d>', 'A\nBcc: x <a@b>'],
  HISTORY_MAX_MB: ['0', '9', '1.5', '10GB', '-1'],
  METRICS_TOKEN: ['two words', 'gehéim', 'x'.repeat(513)],
  HEARTBEAT_URL: ['up.example', 'ftp://up.example', `http://a/${'x'.repeat(2000)}`],
};

const PROVIDER = { OIDC_ISSUER: 'https://id.example/realms/a', OIDC_CLIENT_ID: 'belfry' };
const PROXY = { PROXY_SIGN_IN_HEADER: 'Remote-Email', PROXY_SIGN_IN_FROM: '127.0.0.1' };
const PROXY_GROUPS = { PROXY_SIGN_IN_GROUPS_HEADER: 'Remote-Groups' };
const ROLES = { GROUP_ROLES: 'ops=Acme:admin' };
const OFF = { PASSWORD_SIGN_IN: 'off' };

const HALF_A_PROVIDER = /^OIDC_ISSUER: sign-in by a provider needs OIDC_ISSUER and OIDC_CLIENT_ID/;
const NO_GROUPS = /^GROUP_ROLES: there is no source of groups/;

const CONTRADICTIONS: [env: NodeJS.ProcessEnv, line: RegExp][] = [
  [{ OIDC_ISSUER: PROVIDER.OIDC_ISSUER }, HALF_A_PROVIDER],
  [{ OIDC_CLIENT_SECRET: 'hidden' }, HALF_A_PROVIDER],
  [{ PROXY_SIGN_IN_FROM: '127.0.0.1' }, /^PROXY_SIGN_IN_HEADER: not set/],
  [{ ...PROXY, PROXY_SIGN_IN_NAME_HEADER: 'remote-EMAIL' }, /name the same header/],
  [{ ...PROXY, ...PROVIDER }, /by the provider .* or by a proxy, not by both/],
  [OFF, /^PASSWORD_SIGN_IN: with "off" no one could sign in/],
  [ROLES, NO_GROUPS],
  [{ ...ROLES, ...PROXY }, NO_GROUPS],
  [{ ROLE: 'web' }, /^ROLE: "web" needs a Postgres database/],
  [{ DATABASE_SCHEMA: 'team_1' }, /^DATABASE_SCHEMA: SQLite has no/],
  [
    { HISTORY_DAYS: '7', SUCCESS_HISTORY_DAYS: '8' },
    /^SUCCESS_HISTORY_DAYS: 8 is more than HISTORY_DAYS, which is 7/,
  ],
  [{ ...POSTGRES, BACKUP_FOLDER: '/b' }, /^BACKUP_FOLDER: only a SQLite file is copied/],
  [
    { DATABASE_URL: POSTGRES.DATABASE_URL },
    /^APP_KEY: not set, and required with a Postgres database; .*32 bytes/,
  ],
];

const AGREEING: [env: NodeJS.ProcessEnv, expected: Partial<Config>][] = [
  [{ ...OFF, ...PROVIDER }, { passwordSignIn: false }],
  [{ ...ROLES, ...PROVIDER }, { groupRoles: [{ group: 'ops', team: 'Acme', role: 'admin' }] }],
  [
    { ...ROLES, ...PROXY, ...PROXY_GROUPS },
    { groupRoles: [{ group: 'ops', team: 'Acme', role: 'admin' }] },
  ],
  [{ ...POSTGRES, ROLE: 'web' }, { role: 'web' }],
  [
    { ...POSTGRES, DATABASE_SCHEMA: 'team_1' },
    { database: { kind: 'postgres', url: POSTGRES.DATABASE_URL, schema: 'team_1' } },
  ],
  [{ HISTORY_DAYS: '90', SUCCESS_HISTORY_DAYS: '7' }, { successHistoryDays: 7 }],
  [
    { BACKUP_FOLDER: '/b', BACKUP_EVERY_HOURS: '6', BACKUP_KEEP: '28' },
    { backups: { folder: '/b', everyHours: 6, keep: 28 } },
  ],
  [
    { MAX_CRONS_PER_TEAM: '5', MAX_QUEUES_PER_TEAM: '6', MAX_WAITING_PAYLOAD_MB: '7' },
    { teamBounds: { crons: 5, queues: 6, waitingPayloadBytes: 7 * 1024 * 1024 } },
  ],
  [{ BASE_URL: 'https://b.example:444' }, { mailFrom: 'belfry@b.example' }],
];

describe('settings', () => {
  for (const [name, [field, rows]] of Object.entries(GOOD)) {
    test(`${name} takes ${Object.keys(rows).join(' or ')}`, () => {
      for (const [text, value] of Object.entries(rows))
        assert.deepEqual(accepted({ [name]: text })[field], value, text);
    });
  }
  for (const [name, texts] of Object.entries(BAD)) {
    test(`${name} rejects other values with its name and the accepted ones`, () => {
      for (const text of texts) {
        const [line = '', ...more] = refused({ [name]: text });
        assert.ok(line.startsWith(`${name}: `), line);
        assert.ok(line.endsWith(`it must be ${SETTINGS[name as SettingName].accepts}.`), line);
        assert.deepEqual(more, []);
      }
    });
  }

  test('without any variable nothing is open to others', () => {
    assert.partialDeepStrictEqual(accepted({}), {
      host: '127.0.0.1',
      database: { kind: 'sqlite', path: '/srv/data/belfry.db' },
      allowedNetworks: [],
      trustedProxies: 0,
      signUp: 'invite',
      metricsToken: null,
    });
  });

  test('a provider has an issuer and a client', () => {
    const usual = {
      issuer: PROVIDER.OIDC_ISSUER,
      clientId: 'belfry',
      clientSecret: null,
      name: 'id.example',
      scopes: 'openid email profile',
      groupsClaim: 'groups',
    };
    assert.deepEqual(accepted(PROVIDER).provider, usual);
    const more = { OIDC_CLIENT_SECRET: 's p', OIDC_NAME: 'Okta', OIDC_SCOPES: 'openid  groups' };
    const wanted = { clientSecret: 's p', name: 'Okta', scopes: 'openid groups' };
    assert.deepEqual(accepted({ ...PROVIDER, ...more }).provider, { ...usual, ...wanted });
    for (const OIDC_ISSUER of ['http://127.0.0.1:8080', 'http://localhost/a', 'http://[::1]:1'])
      assert.equal(accepted({ ...PROVIDER, OIDC_ISSUER }).provider?.issuer, OIDC_ISSUER);
  });

  test('proxy sign-in needs a header and the trusted addresses', () => {
    const least = {
      emailHeader: 'remote-email',
      nameHeader: null,
      groupsHeader: null,
      groupSeparator: ',',
      from: [{ base: '127.0.0.1', prefix: 32 }],
      signOutUrl: null,
    };
    assert.deepEqual(accepted(PROXY).proxySignIn, least);
    const more = {
      ...PROXY_GROUPS,
      PROXY_SIGN_IN_GROUPS_SEPARATOR: 'bar',
      PROXY_SIGN_IN_NAME_HEADER: 'Remote-Name',
      PROXY_SIGN_OUT_URL: '/oauth2/sign_out',
    };
    assert.deepEqual(accepted({ ...PROXY, ...more }).proxySignIn, {
      ...least,
      groupsHeader: 'remote-groups',
      groupSeparator: '|',
      nameHeader: 'remote-name',
      signOutUrl: '/oauth2/sign_out',
    });
    const { PROXY_SIGN_IN_HEADER } = PROXY;
    assert.match(
      refused({ PROXY_SIGN_IN_HEADER }).join('\n'),
      /^PROXY_SIGN_IN_FROM: not set, and anybody can send a header; name the addresses/,
    );
  });

  for (const [env, line] of CONTRADICTIONS) {
    test(`${JSON.stringify(env)} is refused in one line`, () => {
      const [found = '', ...more] = refused(env);
      assert.match(found, line);
      assert.deepEqual(more, []);
      assert.doesNotMatch(found, /hidden/);
    });
  }

  for (const [env, expected] of AGREEING) {
    test(`${JSON.stringify(env)} is accepted`, () => {
      assert.partialDeepStrictEqual(accepted(env), expected);
    });
  }

  test('an empty variable counts as not given', () => {
    assert.deepEqual(accepted({ PORT: '', SMTP_URL: ' ' }), accepted({}));
  });

  test('all wrong settings are reported at once', () => {
    const names = refused({ PORT: 'x', ROLE: 'y', LOG_LEVEL: 'z' }).map(
      (line) => line.split(':')[0],
    );
    assert.deepEqual(names, ['PORT', 'ROLE', 'LOG_LEVEL']);
  });

  test('a wrong value is shown, unless it may hold a secret', () => {
    assert.match(refused({ PORT: 'eighty' })[0] ?? '', /"eighty"/);
    for (const [name, setting] of Object.entries(SETTINGS)) {
      if (!('secret' in setting)) continue;
      assert.doesNotMatch(refused({ [name]: 'hid den' }).join('\n'), /hid den/);
    }
  });

  test('a huge wrong value is cut and its control characters are shown as escapes', () => {
    const [line = ''] = refused({ HOST: `\u001B[2J${'x'.repeat(10_000)}` });
    assert.ok(line.length < 300);
    assert.ok(!line.includes('\u001B'));
  });
});

describe('settings that depend on each other', () => {
  test('a wrong APP_KEY with Postgres is reported once, not also as missing', () => {
    assert.equal(refused({ ...POSTGRES, APP_KEY: 'short' }).length, 1);
  });

  test('the public address follows the real port unless it was given', () => {
    assert.equal(publicAddress(accepted({ PORT: '0' }), 4321), 'http://localhost:4321');
    assert.equal(
      publicAddress(accepted({ BASE_URL: 'https://b.example' }), 4321),
      'https://b.example',
    );
  });
});

describe('NAME_FILE', () => {
  let directory = '';
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'belfry-settings-'));
  });
  after(() => {
    rmSync(directory, { recursive: true });
  });
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };

  test('a value can come from a file, whose last line break is no part of it', () => {
    assert.equal(
      accepted({ METRICS_TOKEN_FILE: file('token', 's3cret\n') }).metricsToken,
      's3cret',
    );
    assert.deepEqual(accepted({ APP_KEY_FILE: file('key', `${KEY_TEXT}\n`) }).appKey, KEY);
    assert.equal(accepted({ PORT_FILE: file('port', '81') }).port, 81);
  });

  test('NAME and NAME_FILE together are refused', () => {
    const errors = refused({ PORT: '80', PORT_FILE: file('port', '81') });
    assert.deepEqual(errors, ['PORT: both PORT and PORT_FILE are set; give one of them.']);
  });

  test('a wrong value in a file is refused without being shown when it may be a secret', () => {
    const errors = refused({ APP_KEY_FILE: file('bad', 'hush') });
    assert.match(errors[0] ?? '', /^APP_KEY: /);
    assert.doesNotMatch(errors.join(), /hush/);
  });

  test('a file that is missing, empty, too large or no file at all is refused by name', () => {
    mkdirSync(join(directory, 'folder'));
    const rows: [string, RegExp][] = [
      [join(directory, 'nowhere'), /cannot be read \(ENOENT\)/],
      [file('empty', '\n'), /is empty/],
      [file('huge', 'x'.repeat(70_000)), /is larger than 64 KiB/],
      [join(directory, 'folder'), /is not a regular file/],
      ['/dev/zero', /is not a regular file/],
    ];
    for (const [path, problem] of rows) {
      const [line = ''] = refused({ SMTP_URL_FILE: path });
      assert.ok(line.startsWith('SMTP_URL_FILE: the file '), line);
      assert.ok(line.includes(JSON.stringify(path)), line);
      assert.match(line, problem);
    }
  });
});

describe('docs/configuration.md', () => {
  test('docs/configuration.md lists every setting in order with its default and accepted values', () => {
    const documented = rowsOf(readPage('docs/configuration.md').replaceAll(String.raw`\<`, '<'))
      .filter(([name = '']) => name.startsWith('`'))
      .map((cells) => cells.slice(0, 3));
    const expected = Object.entries(SETTINGS).map(([name, { shownDefault, accepts }]) => [
      `\`${name}\``,
      shownDefault,
      accepts,
    ]);
    assert.deepEqual(documented, expected);
  });
});
