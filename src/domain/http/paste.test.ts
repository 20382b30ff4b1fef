import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { threadMs } from '#testing/spent-time';
import { looksLikeCrontab, parseCrontabLine, parseCurl } from './paste.ts';

function curl(text: string) {
  const read = parseCurl(text);
  assert.ok(read.kind === 'draft', read.kind === 'error' ? read.text : '');
  return { ...read.draft, notes: read.notes };
}

function error(text: string): string {
  const read = parseCurl(text);
  assert.ok(read.kind === 'error');
  return read.text;
}

describe('a pasted curl command', () => {
  test('a pasted curl command fills method, URL, headers and body', () => {
    const read = curl(
      `curl -sS -X PUT 'https://api.example.com/a?b=c' \\\n  -H 'Content-Type: application/json' -H "X-Key: a\\"b" --data '{"n": 1.0}'`,
    );
    assert.deepEqual(read, {
      method: 'PUT',
      url: 'https://api.example.com/a?b=c',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Key', 'a"b'],
      ],
      payload: '{"n": 1.0}',
      timeoutSeconds: null,
      notes: [],
    });
  });

  test('a pasted curl command is a GET without data and a POST with data', () => {
    assert.equal(curl('curl https://a.example/').method, 'GET');
    assert.equal(curl('curl https://a.example/ -d x=1').method, 'POST');
    assert.equal(curl('curl https://a.example/ --json "{}"').method, 'POST');
    assert.equal(curl('curl -XDELETE https://a.example/').method, 'DELETE');
    assert.equal(curl('/usr/bin/curl -fsSXPATCH --url=https://a.example/').method, 'PATCH');
  });

  test('a pasted curl command puts credentials into the Authorization header', () => {
    const basic = `Basic ${Buffer.from('ada:s3:cret').toString('base64')}`;
    assert.deepEqual(curl('curl -u ada:s3:cret https://a.example/').headers, [
      ['Authorization', basic],
    ]);
    const inUrl = curl('curl https://ada:s3%3Acret@a.example/x');
    assert.deepEqual(inUrl.headers, [['Authorization', basic]]);
    assert.equal(inUrl.url, 'https://a.example/x');
    const own = curl('curl -u a:b -H "authorization: Bearer t" https://a.example/');
    assert.deepEqual(own.headers, [['authorization', 'Bearer t']]);
  });

  test('a pasted curl command with -G puts data into the query', () => {
    const read = curl('curl -G https://a.example/?x=1 -d y=2 --data-urlencode "z=a b"');
    assert.equal(read.url, 'https://a.example/?x=1&y=2&z=a%20b');
    assert.equal(read.payload, '');
    assert.equal(read.method, 'GET');
  });

  test('a pasted curl command with form data becomes a JSON object with a note', () => {
    const read = curl("curl a.example/hook -d 'a=1' -d 'b=x%20y'");
    assert.equal(read.url, 'http://a.example/hook');
    assert.equal(read.payload, '{"a": "1", "b": "x y"}');
    assert.match(read.notes.join(' '), /form data/);
  });

  test('a curl command copied from a browser is read', () => {
    const read = curl(
      String.raw`curl 'https://a.example/' -H 'cookie: a=b; c=d' --data-raw $'{"t":"it\'s \u00e9\n"}' --compressed`,
    );
    assert.equal(read.payload, '{"t":"it\'s é\n"}');
    assert.deepEqual(read.headers, [['cookie', 'a=b; c=d']]);
  });

  test('unsupported parts of a curl command are left out with a note', () => {
    const read = curl(
      'curl -L -k https://a.example/ -H "Content-Length: 3" -o /dev/null > x 2>&1 | jq .',
    );
    assert.deepEqual(read.headers, []);
    const notes = read.notes.join(' ');
    for (const word of ['redirects', 'certificate', 'Content-Length', 'left out']) {
      assert.match(notes, new RegExp(word));
    }
    assert.match(curl('curl https://a.example/$ID').notes.join(), /variables/);
    assert.equal(curl('curl -m 2.5 https://a.example/').timeoutSeconds, 3);
    assert.equal(curl('curl --max-time 999 https://a.example/').timeoutSeconds, 300);
  });

  test('a malformed curl command is rejected with the reason', () => {
    assert.match(error(''), /no command/);
    assert.match(error('ls -l'), /no curl or wget/);
    assert.match(error('curl -s'), /no URL/);
    assert.match(error("curl 'https://a.example/"), /not closed/);
    assert.match(error('curl -d @body.json https://a.example/'), /file/);
    assert.match(error('curl -F a=@b https://a.example/'), /multipart/);
    assert.match(error('curl -X TRACE https://a.example/'), /TRACE can’t be sent/);
    assert.match(error(`curl ${'x'.repeat(300_000)}`), /longer/);
  });
});

describe('a pasted crontab line', () => {
  function cron(text: string) {
    const read = parseCrontabLine(text);
    assert.ok(read.kind === 'draft', read.kind === 'error' ? read.text : '');
    return read.draft;
  }

  test('a pasted crontab line fills schedule, request and name, and warns of local time', () => {
    const line = '*/5 9-17  * * MON-FRI  /usr/bin/curl -fsS https://a.example/tick >/dev/null 2>&1';
    const read = parseCrontabLine(`# every five minutes\n${line}`);
    assert.ok(read.kind === 'draft');
    assert.equal(read.draft.cronExpression, '*/5 9-17 * * MON-FRI');
    assert.equal(read.draft.url, 'https://a.example/tick');
    assert.equal(read.draft.name, 'a.example/tick');
    assert.match(read.notes.join(), /UTC/);
  });

  test('a crontab line may have shortcuts, a user, a prefix and wget', () => {
    assert.equal(cron('@daily curl https://a.example/').cronExpression, '@daily');
    assert.equal(cron('0 0 * * * root curl https://a.example/').url, 'https://a.example/');
    const busy = '0 0 * * * cd /srv && TOKEN=x timeout 30 curl -X POST https://a.example/ || true';
    assert.equal(cron(busy).method, 'POST');
    const wget = cron(
      "1 2 * * * wget -qO- --timeout=20 --post-data='{\"a\":1}' --header='X-A: b' https://a.example/",
    );
    assert.equal(wget.method, 'POST');
    assert.equal(wget.payload, '{"a":1}');
    assert.deepEqual(wget.headers, [['X-A', 'b']]);
    assert.equal(wget.timeoutSeconds, 20);
    assert.equal(
      cron(String.raw`0 0 * * * curl "https://a.example/?d=50\%25"`).url,
      'https://a.example/?d=50%25',
    );
  });

  test('a malformed crontab line is rejected with the reason', () => {
    const refusals: [string, RegExp][] = [
      ['', /no line/],
      ['# only a comment', /no line/],
      ['* * * *', /no crontab line/],
      ['99 * * * * curl https://a.example/', /can’t be read/],
      ['@reboot curl https://a.example/', /@reboot/],
      ['0 0 30 2 * curl https://a.example/', /days that do not exist/],
      ['0 0 * * * /opt/backup.sh', /no curl or wget/],
    ];
    for (const [text, pattern] of refusals) {
      const read = parseCrontabLine(text);
      assert.ok(read.kind === 'error', text);
      assert.match(read.text, pattern);
    }
  });

  test('a crontab line is distinguished from a command', () => {
    assert.equal(looksLikeCrontab('0 0 * * * curl https://a.example/'), true);
    assert.equal(looksLikeCrontab('@daily curl https://a.example/'), true);
    assert.equal(looksLikeCrontab('curl https://a.example/ -H a -H b -H c'), false);
  });
});

describe('any pasted text', () => {
  const words = fc.constantFrom(
    ...`curl wget -X -H -d --data-urlencode -u -G --json -- - ' " \\ $ $' \` > 2>&1 | @x = :`.split(
      ' ',
    ),
    ...'https://a.example/ @daily % # -XPOST --max-time'.split(' '),
    '* * * * *',
    '\n',
  );
  const texts = fc.oneof(
    fc.string(),
    fc
      .array(fc.oneof(words, fc.string({ maxLength: 5 })), { maxLength: 30 })
      .map((parts) => parts.join(' ')),
  );

  test('any pasted text gives a draft or a reason, without an error', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const read of [parseCurl(text), parseCrontabLine(text)]) {
          assert.ok(read.kind === 'draft' ? read.draft.url !== '' : read.text !== '');
        }
        looksLikeCrontab(text);
      }),
      { numRuns: 500 },
    );
  });

  test('long pasted texts are read in time', () => {
    const from = threadMs();
    for (const part of ["'", '"', '\\', "$'", ' a', '-H ', 'a=', '>', ' *', '\n', '%', '#']) {
      parseCurl(`curl ${part.repeat(100_000)}`);
      parseCrontabLine(`* * * * * curl ${part.repeat(100_000)}`);
      parseCrontabLine(part.repeat(100_000));
      looksLikeCrontab(part.repeat(100_000));
    }
    assert.ok(threadMs() - from < 4000);
  });
});
