import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertSpends } from '#testing/spent-time';
import { createMask, isMaskedName } from './masking.ts';

const mask = createMask(['Password', 'card_number', 'größe', 'ä', 'a.b', 'api-key']);
const M = '••••••••';

const HIDDEN: [notation: string, text: string, shown: string][] = [
  ['a string with escapes', '{"password":"a\\"b\\\\","x":1}', `{"password":"${M}","x":1}`],
  ['a number', '[{"card_number" : 4.0}, 5]', `[{"card_number" : "${M}"}, 5]`],
  ['null', '{"password":null}', `{"password":"${M}"}`],
  ['an object', '{"passWORD":{"a":["}",1]},"k":2}', `{"passWORD":"${M}","k":2}`],
  ['an escaped name', '{"gr\\u00f6\\u00DFe":4}', `{"gr\\u00f6\\u00DFe":"${M}"}`],
  [
    'JSON in a string',
    '{"a":"{\\"password\\":\\"x\\\\\\"y\\"}"}',
    `{"a":"{\\"password\\":\\"${M}\\"}"}`,
  ],
  ['a query', "https://x.test/?a=1&password=it's#end", `https://x.test/?a=1&password=${M}#end`],
  ['a group of a query', '?user%5Bpassword%5D=1&z=2', `?user%5Bpassword%5D=${M}&z=2`],
  ['an encoded name', '?gr%C3%B6%C3%9Fe=4', `?gr%C3%B6%C3%9Fe=${M}`],
  ['a form', 'a=1&user[password]=zz&c=3', `a=1&user[password]=${M}&c=3`],
  [
    'a command',
    `curl 'https://x.test/?password=a'\\''b' -d '{"password":"x'\\''y"}'`,
    `curl 'https://x.test/?password=${M}' -d '{"password":"${M}"}'`,
  ],
  [
    'XML',
    '<a><n:password t="1"><![CDATA[x]]></n:password></a>',
    `<a><n:password>${M}</n:password></a>`,
  ],
  [
    'an element with others in it',
    '<password><a>x</a><password>z</password><b>y</b></password> <password x="1"/><c>',
    `<password>${M}</password> <password ${M}/><c>`,
  ],
  ['escaped XML', '{"a":"<password>x<\\/password>"}', `{"a":"<password>${M}<\\/password>"}`],
  ['an attribute', `<a password="x y" b="1"/>`, `<a password="${M}" b="1"/>`],
  ['an attribute in JSON', '{"a":"<b password=\\"x y\\">"}', `{"a":"<b password=\\"${M}\\">"}`],
  [
    'XML in XML',
    '<a>&lt;password&gt;x&lt;/password&gt;</a>',
    `<a>&lt;password${M}&lt;/password&gt;</a>`,
  ],
  ['a name with a hyphen', '{"api-key":1} ?api-key=2', `{"api-key":"${M}"} ?api-key=${M}`],
  ['escapes in a name', '{"p\\u0061ssword":"x"}', `{"p\\u0061ssword":"${M}"}`],
  ['an encoded letter', 'https://x.test/?p%61ssword=1&a=2', `https://x.test/?p%61ssword=${M}&a=2`],
  ['an encoded capital letter', '?%C3%84=1', '?%C3%84=••••••••'],
  [
    'a list in a form',
    'password[]=1&password%5B0%5D=2&b=3',
    `password[]=${M}&password%5B0%5D=${M}&b=3`,
  ],
  [
    'an object in a form',
    'a=1&u[password][x]=2&password.x=3',
    `a=1&u[password][x]=${M}&password.x=${M}`,
  ],
  ['a form with spaces and quotes', `password=it's a "b" #c&d=1`, `password=${M}&d=1`],
  ['a form in JSON', `{"a":"password=it's a#c&d=1"}`, `{"a":"password=${M}&d=1"}`],
  ['JSON in a query', '?q=%7B%22password%22%3A%20%22x%22%7D', `?q=%7B%22password%22%3A%20${M}%7D`],
  [
    'a URL in a query',
    '?u=https%3A%2F%2Fx.test%3Fpassword%3Dx%20y&a=1',
    `?u=https%3A%2F%2Fx.test%3Fpassword%3D${M}&a=1`,
  ],
  [
    'JSON with escaped quotes',
    '{"a":"{\\u0022password\\u0022:\\u0022x\\\\u0022y\\u0022}"}',
    `{"a":"{\\u0022password\\u0022:${M}}"}`,
  ],
  [
    'a header of a command',
    `curl --header 'Password: it'\\''s' \\`,
    `curl --header 'Password: ${M}' \\`,
  ],
  [
    "an assertion's error with a cut path",
    'JSON path $.aaa… equals: expected "a", got "b"',
    `JSON path $.aaa… equals: ${M}`,
  ],
  [
    'an assertion',
    'Assertion failed: JSON path $.user["password"] equals: expected "a", got "b"',
    `Assertion failed: JSON path $.user["password"] equals: ${M}`,
  ],
];

describe('masking', () => {
  test('the value of a masked field is hidden in every notation', () => {
    for (const [notation, text, shown] of HIDDEN) assert.equal(mask.hide(text), shown, notation);
  });

  test('a path is hidden if a step of it is a masked name, however it is written', () => {
    const paths = ['$.a.b.Password', 'password[0]', '$["p\\u0061ssword"].x', "$['p\\assword']"];
    assert.deepEqual(
      paths.filter((path) => mask.isHiddenPath(path)),
      paths,
    );
    assert.equal(mask.isHiddenPath('$.passwords'), false);
    const error = `JSON path ${paths[2]} equals: expected 1, got 2`;
    assert.equal(mask.hide(error), `JSON path ${paths[2]} equals: ${M}`);
  });

  test('values of other names, and of names that hold a masked one, stay', () => {
    const text =
      '{"passwords":"a","my_password":"b","axb":1} ?my-password=1 JSON path $.passwords equals: 1';
    assert.equal(mask.hide(text), text);
    assert.equal(createMask([]).hide('{"password":1}'), '{"password":1}');
  });

  test('of a text that is cut anywhere, no character of a masked value is shown', () => {
    const texts = [
      '{"user":{"password":"QZ\\"QZ","n":[1,{"card_number":[{"z":"Q}Z"}]}]}}',
      '{"inner":"{\\"password\\":{\\"a\\":\\"QZ\\"}}"}',
      'https://x.test/?a=1&password=QZ%20QZ',
      '<password>QZ</password>',
    ];
    for (const text of texts) {
      for (let end = 0; end <= text.length; end++)
        assert.doesNotMatch(mask.hide(text.slice(0, end)), /[QZ]/, text.slice(0, end));
    }
  });

  test('left masks become the stored values of the same name, in their order', () => {
    const stored = '[{"password":1.50},{"password":"b"}]';
    const shown = mask.hide(stored);
    assert.equal(mask.restore(shown, stored), stored);
    const edited = shown.replace(`"${M}"`, '"new"');
    assert.equal(mask.restore(edited, stored), '[{"password":"new"},{"password":"b"}]');
    const left = `{"card_number":"${M}"}`;
    assert.equal(mask.restore(left, stored), left);
  });

  test('if elements were moved, removed or added, only equal values are put back', () => {
    const stored = '[{"id":1,"password":"a"},{"id":2,"password":"b"}]';
    const [first, second] = [`{"id":1,"password":"${M}"}`, `{"id":2,"password":"${M}"}`];
    assert.equal(mask.restore(`[${first},${second}]`, stored), stored);
    const renamed = stored.replace('"id":2', '"id":3');
    assert.equal(mask.restore(mask.hide(renamed), stored), renamed);
    const wrong = [`[${second},${first}]`, `[${second}]`, `[${second},${second},${first}]`];
    for (const text of wrong) assert.equal(mask.restore(text, stored), text);
    const equal = stored.replace('"b"', '"a"');
    assert.equal(mask.restore(`[${second}]`, equal), '[{"id":2,"password":"a"}]');
  });

  test('a value is put back only where it is written in the same way', () => {
    const left = `password=${M}`;
    assert.equal(mask.restore(left, '{"password":"a b"}'), left);
  });

  test('large texts that were made to take long take little time', async () => {
    const size = 262_144;
    const quoted = ['"', '\\', '"password":"', '"password":[', 'password=\\"', '%22', '\\u0070'];
    const others = ['<password ', '<password/>', '<password a="', 'password.', 'p%61ssword='];
    for (const part of [...quoted, ...others]) {
      const text = part.repeat(size / part.length);
      await assertSpends(50, () => mask.hide(text), part);
    }
    const many = Array.from({ length: 9_000 }, (_, at) => `"password":${at}`).join();
    const shown = mask.hide(many);
    await assertSpends(50, () => mask.restore(`${shown},`, many), 'restore');
    await assertSpends(50, () => mask.hide(`JSON path ${'password.'.repeat(size / 9)}`));
  });

  test('a name of a field has no quotes, spaces or separators', () => {
    const names = ['card_number', 'größe', 'x.y-z', '$id', '@id'];
    assert.deepEqual(names.filter(isMaskedName), names);
    const wrong = ['', 'a b', 'a"', 'a=b', 'a&b', '<a>', 'a,b', 'x'.repeat(101)];
    assert.deepEqual(wrong.filter(isMaskedName), []);
  });
});
