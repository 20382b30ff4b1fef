/** `npm test` starts with it: the npm package from which tests start Belfry as a process. */
import { packageForTestsIfChanged } from './package.ts';

await packageForTestsIfChanged();
