import { type DestinationStream, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '#config/config';
import type { Log } from '#domain/base/log';

export interface MainLog extends Log {
  /** At every log level. */
  announce(event: string, fields?: object): void;
}

export interface LogOptions {
  level: LogLevel;
  /** Coloured lines instead of JSON. */
  pretty: boolean;
  /** Commands log to standard error, because they print JSON to standard output. */
  to?: 'stdout' | 'stderr' | DestinationStream;
}

const LONGEST_TEXT = 8192;
const DEEPEST = 6;
const WAITING_BYTES = 16 * 1024 * 1024;
const SECRET_NAME = /authori[sz]ation|password|passwd|token|secret|cookie|api[-_]?key|app[-_]?key/i;

function clip(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    name,
    message: clip(message),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: clip(stack) }),
    ...(cause instanceof Error
      ? { cause: { name: cause.name, message: clip(cause.message) } }
      : {}),
  };
}

/** A safety net: hides fields with secret names, cuts long texts, and limits the depth, so that a cycle ends. */
function mask(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return clip(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => mask(item, depth + 1));
  const fields = Object.entries(value).map(([name, field]) => {
    const hidden =
      SECRET_NAME.test(name) && (typeof field === 'string' || typeof field === 'object');
    return [name, hidden && field !== null ? '[hidden]' : mask(field, depth + 1)];
  });
  return Object.fromEntries(fields);
}

async function openDestination({ to = 'stdout', pretty }: LogOptions): Promise<DestinationStream> {
  if (typeof to === 'object') {
    return pretty ? prettyStream(to) : to;
  }
  const fd = to === 'stderr' ? 2 : 1;
  // A stalled reader of a pipe must not block the service; a terminal may.
  const stream = pino.destination({ fd, sync: pretty, maxLength: WAITING_BYTES });
  // A fault of the log can't be reported anywhere.
  stream.on('error', () => {});
  return pretty ? prettyStream(stream) : stream;
}

async function prettyStream(destination: DestinationStream): Promise<DestinationStream> {
  // Services and scripts don't need it.
  const { default: pinoPretty } = await import('pino-pretty');
  const format = pinoPretty.prettyFactory({
    colorize: true,
    singleLine: true,
    messageKey: 'event',
    translateTime: 'SYS:HH:MM:ss.l',
  });
  return { write: (line) => destination.write(format(line)) };
}

export async function createLog(options: LogOptions): Promise<MainLog> {
  const logger = pino(
    {
      level: options.level,
      base: null,
      messageKey: 'event',
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => mask(fields, 0) as Record<string, unknown>,
      },
    },
    await openDestination(options),
  );
  const always = logger.child({}, { level: 'info' });
  return {
    debug: (event, fields = {}) => logger.debug(fields, event),
    info: (event, fields = {}) => logger.info(fields, event),
    warn: (event, fields = {}) => logger.warn(fields, event),
    error: (event, fields = {}) => logger.error(fields, event),
    announce: (event, fields = {}) => always.info(fields, event),
  };
}
