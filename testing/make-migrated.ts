/** `npm test` starts with it: the migrated databases of migrated.ts. The first argument names the SQLite file. */
import fs from 'node:fs';
import { prepareMigrated, readMigratedFile } from './stores.ts';

const [, , file = ''] = process.argv;
fs.writeFileSync(file, await readMigratedFile());
await prepareMigrated();
