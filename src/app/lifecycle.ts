import type { Log } from '#domain/base/log';

export interface Part {
  name: string;
  stop(graceMs: number): Promise<void>;
}

/** Time beyond the grace to release resources: the database may not answer. */
const OVERTIME_MS = 5_000;

/**
 * One after another, so that each can rely on those after it. All share the grace.
 * @returns whether every part stopped in time and without a fault
 */
export async function stopInTime(
  parts: readonly Part[],
  { graceMs, overtimeMs = OVERTIME_MS }: { graceMs: number; overtimeMs?: number },
  log: Log,
): Promise<boolean> {
  const deadlineMs = performance.now() + graceMs;
  let isClean = true;
  for (const part of parts) {
    try {
      const leftMs = Math.max(0, deadlineMs - performance.now());
      await inTime(part.stop(leftMs), leftMs + overtimeMs);
    } catch (error) {
      isClean = false;
      log.error('stop.failed', { part: part.name, error });
    }
  }
  return isClean;
}

async function inTime(stopping: Promise<void>, limitMs: number): Promise<void> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error('did not stop in time')), limitMs);
  try {
    await Promise.race([stopping, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: () => void): unknown;
}

/**
 * The first signal stops gracefully. A second SIGTERM or SIGINT ends the process, unless it comes within `echoMs`: a
 * parent process may pass on the first. SIGHUP doesn't count: a closing terminal sends several, and often SIGTERM too.
 */
export function stopOnSignals(
  source: SignalSource,
  { stop, abort, echoMs }: { stop: () => void; abort: () => void; echoMs: number },
): void {
  let firstAtMs: number | null = null;
  let isStopping = false;
  const stopOnce = () => {
    if (!isStopping) stop();
    isStopping = true;
  };
  const onSignal = () => {
    if (firstAtMs === null) {
      firstAtMs = performance.now();
      stopOnce();
    } else if (performance.now() - firstAtMs >= echoMs) abort();
  };
  source.on('SIGTERM', onSignal);
  source.on('SIGINT', onSignal);
  source.on('SIGHUP', stopOnce);
}
