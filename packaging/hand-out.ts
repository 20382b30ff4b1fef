import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { VERSION } from '#config/version';
import { packContext } from './build-context.ts';
import { writeNotes } from './changelog.ts';
import { packageIfChanged } from './package.ts';
import { DIST, ROOT } from './places.ts';
import { SBOM_NAME, writeSbom } from './sbom.ts';
import { packTarball } from './tarball.ts';

const SUMS = 'SHA256SUMS';

await packageIfChanged();
await packTarball();
packContext();
fs.writeFileSync(path.join(DIST, SBOM_NAME), await writeSbom());
const changelog = fs.readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
fs.writeFileSync(path.join(DIST, `belfry-${VERSION}-changes.md`), writeNotes(changelog, VERSION));
writeSums();

/** Also of executables from other machines. */
function writeSums(): void {
  const names = fs.readdirSync(DIST).filter((name) => name.startsWith(`belfry-${VERSION}`));
  const lines = names.toSorted().map((name) => {
    const digest = createHash('sha256')
      .update(fs.readFileSync(path.join(DIST, name)))
      .digest('hex');
    return `${digest}  ${name}\n`;
  });
  fs.writeFileSync(path.join(DIST, SUMS), lines.join(''));
  process.stdout.write(`in dist, with ${SUMS}:\n${names.map((name) => `  ${name}\n`).join('')}`);
}
