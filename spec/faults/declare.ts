import { after, before, describe, test } from 'node:test';
import { canMount } from '#testing/faults/small-disk';
import { reportProgress } from '#testing/progress';
import { type Cell, MATRIX } from './cells.ts';
import { type Scene, type SceneName, startScene } from './scene.ts';
import { runStory } from './story.ts';
import { TEST_LIMIT_MS } from '#testing/limits';

const isFull = process.env['BELFRY_FULL'] === '1';
/** Declares the cells of one part of the matrix: those that are quick, or all. */
export function declareCells(name: SceneName): void {
  const cells = MATRIX[name].filter(({ isQuick }) => isQuick || isFull);
  const lanes = [...Map.groupBy(cells, ({ lane }) => lane).values()];
  const timeout = TEST_LIMIT_MS * Math.max(1, ...lanes.map((lane) => lane.length));
  const skip = name.includes('small disk') && !canMount && "mounting takes root's rights on Linux";
  describe(`faults, ${name}`, { concurrency: lanes.length, timeout, skip }, () => {
    for (const lane of lanes)
      describe('in turn', { concurrency: 1, timeout }, () => declareLane(name, lane));
  });
}

function declareLane(name: SceneName, lane: readonly Cell[]): void {
  let scene: Scene | null = null;
  let progress: Disposable | null = null;
  const prepare = async () => {
    scene = await startScene(name);
    progress = reportProgress(() => `${name}: ${scene?.cells} of ${lane.length} faults`);
  };
  const cleanUp = async () => {
    progress?.[Symbol.dispose]();
    await scene?.[Symbol.asyncDispose]();
  };
  before(prepare, { timeout: TEST_LIMIT_MS });
  after(cleanUp, { timeout: TEST_LIMIT_MS });
  for (const { title, fault } of lane) {
    test(title, { timeout: TEST_LIMIT_MS }, async (t) => {
      if (scene === null) throw new Error('the scene did not start');
      t.diagnostic(await runStory(scene, fault));
    });
  }
}
