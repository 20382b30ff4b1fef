import type { Clock } from '#domain/base/clock';
import type { Log } from '#domain/base/log';
import { Repeating } from '#domain/base/repeating';
import type { ClosableSender } from '#outgoing/exchange';

const BEAT_EVERY_MS = 60_000;
const TIMEOUT_SECONDS = 10;

interface HeartbeatOptions {
  /** May contain a token, so it is never logged. */
  url: string;
  /** May reach every network: the operator chose the address. */
  sender: ClosableSender;
  isWorking: () => boolean;
  clock: Clock;
  log: Log;
}

/** The monitor raises an alarm when calls stop. */
export function createHeartbeat({ url, sender, isWorking, clock, log }: HeartbeatOptions) {
  /** A fault that lasts is logged once. */
  let isFailing = false;
  const call = async () => {
    const request = { method: 'GET', url, headers: [], body: null } as const;
    const exchange = await sender.send(request, { timeoutSeconds: TIMEOUT_SECONDS });
    // `stop` has interrupted the call.
    if (repeating.isStopped) return;
    const status = 'status' in exchange ? exchange.status : null;
    const isTaken = exchange.kind === 'answered' && exchange.status >= 200 && exchange.status < 300;
    if (!isTaken && !isFailing) log.warn('heartbeat.failed', { kind: exchange.kind, status });
    if (isTaken && isFailing) log.info('heartbeat.arrives-again');
    isFailing = !isTaken;
  };
  const repeating: Repeating = new Repeating(clock, log, null, async () => {
    if (isWorking()) void call();
    return BEAT_EVERY_MS;
  });
  return {
    start: () => repeating.start(),
    stop: async () => {
      await repeating.stop();
      await sender.close();
    },
  };
}
