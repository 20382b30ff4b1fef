import { setFlagsFromString } from 'node:v8';

/**
 * If the first objects of some code survive, such as the runs of a first claim, V8 allocates its later ones in the old
 * generation. Everything that they refer to then survives until the next full garbage collection. Call it before the
 * engine starts.
 */
export function allocateInYoungGeneration(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
