/** A program that prints which part of its short-lived objects survives, although the first ones had to. */
import { setImmediate } from 'node:timers/promises';
import { allocateInYoungGeneration } from '#app/young-generation';
import { measureSurvivors } from './survivors.ts';

const CHARACTERS = 500;
const [FIRST, LATER] = [50_000, 300_000];

function makeRun(n: number) {
  return { content: Buffer.alloc(CHARACTERS, n).toString('latin1'), n };
}

allocateInYoungGeneration();
let kept: unknown[] = [];
for (let n = 0; n < FIRST; n++) kept.push(makeRun(n));
await setImmediate();
kept = [];
const survived = await measureSurvivors(async (collect) => {
  for (let n = 0; n < LATER; n++) {
    kept[n % 100] = makeRun(n);
    if (n % 10_000 === 0) {
      await setImmediate();
      collect();
    }
  }
});
process.stdout.write(String(survived / (LATER * CHARACTERS)));
