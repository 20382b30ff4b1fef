import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/**
 * About how many bytes that `work` allocates survive minor garbage collections. Includes up to 32 MiB that it
 * allocated last.
 */
export async function measureSurvivors(work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: false,
  });
  await work();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  return bytesOf(profile.head);
}

function bytesOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize);
}
