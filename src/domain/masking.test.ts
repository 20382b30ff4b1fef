import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertSpends } from '#testing/spent-time';
import { createMask, isMaskedName } from './masking.ts';

const mask = createMask(['Password', 'card_number', 'größe', 'a.b']);
const M = '••••••••';

const HIDDEN: [what: string, text: string, shown: string][] = [
  ['a string with escapes', '{"password":"a\\"b\\\\","x":1}', `{"password":"${M}","x":1}`],
  ['a number', '[{"card_number" : 4.0}, 5]', `[{"card_number" : "${M}"}, 5]`],
  ['null', '{"password":null}', `{"password":"${M}"}`],
  ['an object', '{"PASSWORD":{"a":["}",1]},"k":2}', `{"PASSWORD":"${M}","k":2}`],
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
    `<a><n:password t="1">${M}</n:password></a>`,
  ],
  [
    'an assertion',
    'Assertion failed: JSON path $.user["password"] equals: expected "a", got "b"',
    `Assertion failed: JSON path $.user["password"] equals: ${M}`,
  ],
];

describe('masking', () => {
  for (const [what, text, shown] of HIDDEN) {
    test(`of ${what}, the value is hidden`, () => assert.equal(mask.hide(text), shown));
  }

  test('other names, and names within longer ones, stay', () => {
    const text =
      '{"passwords":"a","my_password":"b","axb":1} ?my-password=1 JSON path $.passwords equals: 1';
    assert.equal(mask.hide(text), text);
    assert.equal(createMask([]).hide('{"password":1}'), '{"password":1}');
  });

  test('of a text that is cut anywhere, no character of a value is shown', () => {
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

  test('large texts that were made to take long take little time', async () => {
    const size = 262_144;
    for (const part of ['"', '\\', '"password":"', '"password":[', 'password=\\"', '<password ']) {
      const text = part.repeat(size / part.length);
      await assertSpends(50, () => mask.hide(text), part);
    }
    await assertSpends(50, () => mask.hide(`JSON path ${'password.'.repeat(size / 9)}`));
  });

  test('a name of a field has no quotes, spaces or separators', () => {
    const names = ['card_number', 'größe', 'x.y-z', '$id', '@id'];
    assert.deepEqual(names.filter(isMaskedName), names);
    const wrong = ['', 'a b', 'a"', 'a=b', 'a&b', '<a>', 'a,b', 'x'.repeat(101)];
    assert.deepEqual(wrong.filter(isMaskedName), []);
  });
});
