import { getAsset, isSea } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** In an executable, the asset of this name. */
const PACKAGED_WORKER = 'sqlite-worker.cjs';

export function startWorker(options: WorkerOptions): Worker {
  if (isSea()) return new Worker(getAsset(PACKAGED_WORKER, 'utf8'), { ...options, eval: true });
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : `./${PACKAGED_WORKER}`;
  return new Worker(new URL(file, import.meta.url), options);
}
