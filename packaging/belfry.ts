/** Entry point of the npm package and the executable. */
import { runMain } from '../src/main.ts';
import type { Packaged } from '#app/commands';
import { packagedDashboard } from './dashboard.ts';
import { hasPart, readPart } from './parts.ts';

const packaged: Packaged = {
  dashboard: packagedDashboard,
  commands: [
    {
      name: 'demo',
      description: 'serve a sample team with a month of history, with its data in ./data/demo',
      run: serveDemo,
    },
    {
      name: 'licences',
      description: 'print the licences of everything that is in this package',
      run: printLicences,
    },
  ],
};

void start(process.argv.slice(2));

/** Its own commands run before the settings are read, which may be wrong. */
async function start(command: readonly string[]): Promise<void> {
  const own = packaged.commands.find(({ name }) => command.length === 1 && name === command[0]);
  await (own === undefined ? runMain(command, packaged) : own.run());
}

async function serveDemo(): Promise<void> {
  const { runDemo } = await import('../src/demo/demo.ts');
  await runDemo(() => runMain([], packaged));
}

async function printLicences(): Promise<void> {
  for (const name of ['LICENSE', 'licences.txt', 'node-licence.txt']) {
    if (hasPart(name)) process.stdout.write(`${Buffer.from(readPart(name)).toString()}\n`);
  }
}
