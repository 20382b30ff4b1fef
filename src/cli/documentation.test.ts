import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { partsOf } from '#work/resources/resource';
import { buildProgram } from './program.ts';
import { Session } from './session.ts';
import { SECTIONS } from './collections.ts';

const PAGE = fs.readFileSync(path.join(import.meta.dirname, '../../docs/command-line.md'), 'utf8');

/** The first cells of the page's tables, without the escapes of Markdown. */
const CELLS = PAGE.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => (/^\| (.*?[^\\]) +\|/.exec(line)?.[1] ?? '').replaceAll('\\|', '|'));

const program = buildProgram(
  new Session({
    open: () => assert.fail('reading the commands opens nothing'),
    backup: () => assert.fail(),
    askHealth: () => assert.fail(),
    doctor: () => assert.fail(),
    readVariable: () => assert.fail(),
    version: '',
    readFile: () => assert.fail(),
    terminal: { print: () => {}, say: () => {}, drained: async () => {}, isInteractive: false },
  }),
);

/** Every command by its full name, such as `job show`. */
function listCommands(command: Command, prefix = ''): [name: string, command: Command][] {
  return command.commands.flatMap((child) => {
    const name = `${prefix}${child.name()}`;
    if (child.commands.length > 0) return listCommands(child, `${name} `);
    return [[name, child] as [string, Command]];
  });
}

const commands = listCommands(program);

describe('docs/command-line.md', () => {
  for (const [name, command] of commands) {
    test(`docs/command-line.md shows ${name} with every option`, () => {
      const row = CELLS.find((cell) => new RegExp(`^\`${name}[ \`]`).test(cell));
      assert.ok(row, `no row for ${name}`);
      // A command with many options has them in a table of its own.
      const place = row.includes('[options]') ? `${row}${CELLS.join(' ')}` : row;
      for (const { long } of command.options) {
        assert.match(place, new RegExp(`${long}[ \`|\\]]`), `${name} ${long}`);
      }
      for (const argument of command.registeredArguments) {
        assert.ok(row.includes(argument.name()), argument.name());
      }
    });
  }

  test("docs/command-line.md shows no command that doesn't exist", () => {
    const known = new Set(commands.map(([name]) => name));
    const shown = CELLS.flatMap(
      (cell) => /^`([a-z][a-z -]*?)(?: -| [A-Z]|`)/.exec(cell)?.[1] ?? [],
    );
    assert.deepEqual(
      shown.filter((name) => !known.has(name)),
      [],
    );
    assert.equal(shown.length, known.size);
  });

  test("docs/command-line.md shows no option that doesn't exist", () => {
    const known = new Set(
      commands.flatMap(([, command]) => command.options.map(({ long }) => long)),
    );
    for (const { long } of program.options) known.add(long);
    known.add('--help');
    const shown = PAGE.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    assert.deepEqual(
      shown.filter((option) => !known.has(option)),
      [],
    );
  });
});

const TEAM_FILE = fs.readFileSync(
  path.join(import.meta.dirname, '../../docs/team-file.md'),
  'utf8',
);

/** The names of fields in the rows of the page whose first cell has this name. */
function fieldsInRows(isRow: (first: string) => boolean, cells: 'first' | 'second'): string[] {
  const rows = TEAM_FILE.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => {
    const [, first = '', second = ''] = row.split('|');
    const text = cells === 'first' ? first : second;
    return isRow(first) ? [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name) : [];
  });
}

describe('docs/team-file.md', () => {
  const ofKinds = fieldsInRows(
    (first) => /`(?:email-addresses|slack|ntfy|telegram|pagerduty)`/.test(first),
    'second',
  );
  const ofAlerts = fieldsInRows(
    (first) => /_channels`|_note`|slow_|remind_|certificate_/.test(first),
    'first',
  );
  const keys = SECTIONS.map(({ key }) => key);

  for (const { key, resource } of SECTIONS) {
    test(`${key}: the tables list exactly the fields of the section`, () => {
      const own = fieldsInRows((first) => first.includes(`\`${key}\``), 'second');
      const isChannel = key.startsWith('channel');
      const shared = key === 'channels' ? ['kind', 'collect_minutes', ...ofKinds] : ofKinds;
      const hasAlerts = key === 'queues' || key === 'crons';
      const others = isChannel ? shared : hasAlerts ? ofAlerts : [];
      const shown = [...own, ...others].filter((name) => ![...keys, 'team'].includes(name));
      const names = partsOf(resource).map(({ name }) => name);
      assert.deepEqual([...new Set(shown)].toSorted(), names.toSorted());
    });
  }
});
