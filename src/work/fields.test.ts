import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSendableUrl } from './fields.ts';

describe('a URL that a request could be sent to', () => {
  const sendable = [
    'http://example.com',
    'HTTPS://EXAMPLE.com:8443/a?b=c#d',
    'https://example.com?x=1',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:80/',
    'https://bücher.example/ü?q=☃',
    'http://localhost',
    'https://example.com/a@b?c=@',
    'https://example.com/%20%00',
    'https://example.com/?path=C:\\x',
  ];
  for (const url of sendable) test(`${url} is one`, () => assert.equal(isSendableUrl(url), true));

  const refused = [
    'example.com',
    '//example.com',
    '/path',
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    'https:\\\\example.com',
    'https://example.com\\@127.0.0.1/',
    'https://',
    'https://?x',
    'https://#x',
    'http://:80/',
    'http://a:99999/',
    'http://a b/',
    'http://[::1/',
    'http://1.2.3.4.5/',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    ' https://example.com',
    'https://example.com ',
    'https://example.com/a b',
    'https://example.com/a\tb',
    'https://exam\nple.com/',
    'https://example.com/\u0000',
    'https://example.com/\u007f',
    'https://example.com/\u0085',
    'https://example.com/\u00a0',
    'https://example.com/\u3000',
    'https://example.com/\ud800',
    `https://${'ü'.repeat(500_000)}/`,
  ];
  for (const url of refused) {
    test(`${JSON.stringify(url.slice(0, 60))} is none`, () =>
      assert.equal(isSendableUrl(url), false));
  }
});
