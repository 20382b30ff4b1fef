import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainFault } from './fault.ts';
import { printJson } from './output.ts';
import { writeBody } from './records.ts';

describe('a record', () => {
  test('records have bodies as text without a character cut at the end', () => {
    const body = Buffer.from('\ufeff✓🔔');
    assert.equal(writeBody(body), '\ufeff✓🔔');
    for (let cut = 1; cut <= 3; cut++) assert.equal(writeBody(body.subarray(0, -cut)), '\ufeff✓');
    assert.equal(writeBody(Buffer.from([0x61, 0xff, 0x62])), 'a\ufffdb');
    assert.equal(writeBody(Buffer.alloc(0)), '');
    assert.equal(writeBody(null), null);
  });
});

describe('output', () => {
  const print = (value: unknown, isInteractive: boolean) => {
    let printed = '';
    printJson(
      {
        print: (text) => void (printed += text),
        say: () => {},
        drained: async () => {},
        isInteractive,
      },
      value,
    );
    return printed;
  };

  test('output is one line of JSON, or indented on a terminal', () => {
    assert.equal(print({ a: [1] }, false), '{"a":[1]}\n');
    assert.equal(print({ a: [1] }, true), '{\n  "a": [\n    1\n  ]\n}\n');
  });

  test('output has no terminal control characters and parses back unchanged', () => {
    const text = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).join('');
    const printed = print(text, true);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(printed.slice(0, -1), /[\u0000-\u001f\u007f-\u009f]/);
    assert.equal(JSON.parse(printed), text);
  });
});

describe('a fault', () => {
  test('a fault is printed on one line', () => {
    for (const fault of [new Error('two\nlines\u001b[2J'), 'text', null, undefined, { code: 5 }]) {
      // oxlint-disable-next-line no-control-regex
      assert.match(explainFault(fault), /^[^\u0000-\u001f]+$/);
    }
  });

  test('a fault of the store is printed only if its message is meant for users', () => {
    const fault = (code: string) => Object.assign(new Error('the disk is full'), { code });
    assert.equal(explainFault(fault('STORE_UNAVAILABLE')), 'the disk is full');
    assert.equal(explainFault(fault('STORE_FAULT')), 'unexpected fault: the disk is full');
  });
});
