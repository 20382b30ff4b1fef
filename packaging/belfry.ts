/** Where a packaged Belfry starts: the program of the npm package, and the executable. */
import { runMain } from '../src/main.ts';
import { packagedDashboard } from './dashboard.ts';
import { hasPart, readPart } from './parts.ts';

void start(process.argv.slice(2));

async function start(command: readonly string[]): Promise<void> {
  const [first] = command.length === 1 ? command : [];
  if (first === 'licences') return printLicences();
  if (first === 'demo') {
    const { runDemo } = await import('../testing/demo/demo.ts');
    return runDemo(() => runMain([], packagedDashboard));
  }
  await runMain(command, packagedDashboard);
}

function printLicences(): void {
  for (const name of ['LICENSE', 'licences.txt', 'node-licence.txt']) {
    if (hasPart(name)) process.stdout.write(`${Buffer.from(readPart(name)).toString()}\n`);
  }
}
