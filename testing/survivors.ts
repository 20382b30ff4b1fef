import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * About how many bytes that `work` allocates survive minor garbage collections. It calls `collect` often, because the
 * young generation may be large enough for all.
 */
export async function measureSurvivors(
  work: (collect: () => void) => Promise<void>,
): Promise<number> {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const collect = () => gc({ type: 'minor' });
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: false,
  });
  await work(collect);
  collect();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  return bytesOf(profile.head);
}

function bytesOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize);
}
