/** `npm test` makes the npm package that tests start. */
import { packageForTestsIfChanged } from './package.ts';

await packageForTestsIfChanged();
