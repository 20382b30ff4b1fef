/** `npm run package`: the executable of this platform and the npm package, in `dist`. */
import { packageIfChanged } from './package.ts';
import { EXECUTABLE, ROOT } from './places.ts';
import { packTarball } from './tarball.ts';
import fs from 'node:fs';
import path from 'node:path';

await packageIfChanged();
for (const file of [EXECUTABLE, await packTarball()]) {
  const megabytes = (fs.statSync(file).size / 1e6).toFixed(1);
  process.stdout.write(`${path.relative(ROOT, file)} (${megabytes} MB)\n`);
}
