/**
 * Events with fields: `log.info('attempt.settled', { jobId, attempt, durationMs })`. The event is a short, stable name
 * (`noun.happened`); everything variable goes into the fields. Never a payload, a header's value, a token or a
 * password. A field named `error` may hold an Error.
 */
export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}

const nothing = () => {};

/** Logs nothing: for tests and work without events. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
