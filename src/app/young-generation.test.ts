import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { measureSurvivors } from '#testing/survivors';
import { allocateInYoungGeneration } from './young-generation.ts';

const CHARACTERS = 500;

function makeRun(n: number) {
  return { content: Buffer.alloc(CHARACTERS, n).toString('latin1'), n };
}

test('short-lived objects are freed by minor garbage collections, although the first ones survived', async () => {
  allocateInYoungGeneration();
  const [first, later] = [50_000, 300_000];
  let kept: unknown[] = [];
  for (let n = 0; n < first; n++) kept.push(makeRun(n));
  await setImmediate();
  kept = [];
  const survived = await measureSurvivors(async (collect) => {
    for (let n = 0; n < later; n++) {
      kept[n % 100] = makeRun(n);
      if (n % 10_000 === 0) {
        await setImmediate();
        collect();
      }
    }
  });
  assert.ok(survived < (later * CHARACTERS) / 3, `${survived} of ${later * CHARACTERS} bytes`);
});
