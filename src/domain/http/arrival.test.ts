import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLocal } from './arrival.ts';

const local = (headers: Record<string, string> = {}, address: string | undefined = '127.0.0.1') =>
  isLocal({ rawHeaders: Object.entries({ Host: 'localhost:3000', ...headers }).flat(), address });

describe('isLocal', () => {
  test('a request by a loopback socket and a loopback name is local', () => {
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
      assert.ok(local({}, address), address);
    }
    for (const Host of ['localhost', 'LocalHost:80', '127.0.0.1:3000', '[::1]:3000', '[::1]']) {
      assert.ok(local({ Host }), Host);
    }
  });

  test('a request by a socket of another machine is not local', () => {
    for (const address of ['192.168.0.7', '::ffff:10.0.0.1', '2001:db8::1', '', 'localhost.evil']) {
      assert.ok(!local({}, address), address);
    }
    assert.ok(!isLocal({ rawHeaders: ['Host', 'localhost'], address: undefined }));
  });

  test('a request with another Host, or with none or two, is not local', () => {
    const others = ['', 'belfry.example.com', 'localhost.evil.example', '127.0.0.1.evil.example'];
    for (const Host of [...others, 'localhost:3000:1', 'evil@localhost', '0.0.0.0'])
      assert.ok(!local({ Host }), Host);
    const address = '127.0.0.1';
    assert.ok(!isLocal({ rawHeaders: [], address }));
    assert.ok(!isLocal({ rawHeaders: ['Host', 'localhost', 'host', 'localhost'], address }));
  });

  test('a request with any header that proxies add is not local', () => {
    const names = ['x-forwarded-proto', 'X-Forwarded-Any', 'Forwarded', 'Via', 'X-Real-IP'];
    for (const name of [...names, 'CF-Connecting-IP', 'X-Original-Host'])
      assert.ok(!local({ [name]: '127.0.0.1' }), name);
    assert.ok(local({ 'User-Agent': 'via x-forwarded-for', Accept: '*/*' }));
  });
});
