/**
 * Events with fields: `log.info('attempt.settled', { jobId })`. The event is short and stable (`noun.happened`);
 * variable parts are fields. Never log payloads, header values, tokens or passwords.
 */
export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
}

const nothing = () => {};

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
