import type { Log } from '#domain/base/log';

export interface KeptEvent {
  event: string;
  fields: Record<string, unknown>;
}

/** A log that keeps its events in order, without those for debugging. */
export function keepEvents(): { log: Log; events: KeptEvent[] } {
  const events: KeptEvent[] = [];
  const keep = (event: string, fields: object = {}) =>
    void events.push({ event, fields: { ...fields } });
  return { events, log: { debug: () => {}, info: keep, warn: keep, error: keep } };
}
