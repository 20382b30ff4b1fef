import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rankEntries } from './rank-entries.ts';

const named = (...names: string[]) => names.map((name) => ({ name, to: `/${name}` }));
const rank = (query: string, ...names: string[]) =>
  rankEntries(query, named(...names)).map(({ name }) => name);

describe('the order of palette entries', () => {
  test('the palette ranks the exact name, then prefixes, then words, then substrings', () =>
    assert.deepEqual(rank('mail', 'Hotmail', 'Send mail', 'Mailing list', 'MAIL', 'Invoices'), [
      'MAIL',
      'Mailing list',
      'Send mail',
      'Hotmail',
    ]));
  test('the palette ranks the shorter of two equal matches first', () =>
    assert.deepEqual(rank('back', 'Backup of photos', 'Backup'), ['Backup', 'Backup of photos']));
  test('the palette lists only names with every typed word, in any order', () =>
    assert.deepEqual(rank(' backup  night', 'Nightly backup', 'Nightly report'), [
      'Nightly backup',
    ]));
  test('the palette shows first the item found by its id', () => {
    const [byName] = named('Crons');
    const found = { name: 'Job 42', to: '/jobs/1', isFound: true };
    assert.deepEqual(rankEntries('0192-a', byName ? [byName, found] : []), [found]);
  });
  test('the empty palette shows its pages in their order', () =>
    assert.deepEqual(rank('  ', 'b', 'a'), ['b', 'a']));
});
