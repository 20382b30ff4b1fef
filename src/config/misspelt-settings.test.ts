import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMisspelt } from './misspelt-settings.ts';
import { SETTINGS } from './settings.ts';

const meantBy = (name: string) =>
  /write (\w+), or unset/.exec(findMisspelt({ [name]: 'x' })[0] ?? '')?.[1] ?? null;

test('a variable that is close to a setting names that setting', () => {
  for (const [name, meant] of [
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
    ['BELFRY_DATABASE_URL', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['EHCO', 'ECHO'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['ALLOWED_NETWORK', 'ALLOWED_NETWORKS'],
    ['BASE_URI', 'BASE_URL'],
    ['SIGNUP', 'SIGN_UP'],
    ['MAIL_FORM', 'MAIL_FROM'],
  ] as const) {
    assert.equal(meantBy(name), meant, name);
  }
});

test('variables of other programs are not reported as misspelt settings', () => {
  const others =
    'PATH HOME HOSTNAME HOSTTYPE HOSTS POST PORTS MAIL TERM SHELL USER LANG PWD API_KEY APP_KEYS ' +
    'APP_ENV APP_URL LOGLEVEL LOG_FORMAT EMAIL_FROM SMTP_HOST SMTP_PORT SMTP_USER DATABASE_HOST ' +
    'DATABASE_PORT DATABASE_USER DATABASE_NAME DB_URL PGHOST PGPORT PGUSER REDIS_URL BACKUP_KEY ' +
    'SESSION_MAX_AGE SECRET_KEY HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY BELFRY_PORT ' +
    'BELFRY_SERVICE_HOST BELFRY_PORT_3000_TCP NODE_ENV NODE_OPTIONS INVOCATION_ID JOURNAL_STREAM ' +
    'STATE_DIRECTORY KUBERNETES_PORT npm_config_port';
  for (const name of others.split(' ')) assert.equal(meantBy(name), null, name);
});

test('a variable similar to a set setting is accepted', () => {
  assert.deepEqual(findMisspelt({ DATABASE_URL: 'sqlite:x.db', DATABASE_URI: 'x' }), []);
  assert.deepEqual(findMisspelt({ DATABASE_URL_FILE: '/x', DATABASE_URI: 'x' }), []);
});

test('an empty variable counts as not set', () => {
  assert.deepEqual(findMisspelt({ DATABSE_URL: ' ' }), []);
});

test('no setting is taken for another', () => {
  for (const name of Object.keys(SETTINGS)) {
    assert.deepEqual(findMisspelt({ [name]: 'x', [`${name}_FILE`]: 'x' }), []);
  }
});
