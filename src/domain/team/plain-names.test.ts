import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breakLinks } from './plain-names.ts';

test('no name becomes a link', () => {
  for (const [name, broken] of [
    ['https://evil.example/login', 'https[:]//evil[.]example/login'],
    ['Click www.evil.example now', 'Click www[.]evil[.]example now'],
    ['evil。example', 'evil[.]example'],
    ['evil．ex', 'evil[.]ex'],
    ['help@evil.example', 'help[at]evil[.]example'],
    ['10.20.30.40:80', '10[.]20[.]30[.]40:80'],
    ['xn--evl-ipa.example', 'xn--evl-ipa[.]example'],
  ] as const) {
    assert.equal(breakLinks(name), broken);
  }
});

test('ordinary names of users and teams are unchanged', () => {
  const names = ['Ada Bell', 'J. R. Hill', 'St. Mary & Sons', 'R&D (v2.1)', 'Team @ home', '…'];
  for (const name of names) assert.equal(breakLinks(name), name);
});
