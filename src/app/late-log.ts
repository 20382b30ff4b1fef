import { LOG_LEVELS } from '#config/settings';
import type { Log } from '#domain/base/log';
import type { LogOptions } from './log.ts';

type Level = keyof Log;

/** Loads the logging library with its first line: most commands write none. */
export function createLateLog(options: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(options.level);
  let opening: Promise<Log> | null = null;
  const open = async () => (await import('./log.ts')).createLog(options);
  const write = (level: Level) => (event: string, fields?: object) => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    opening ??= open();
    void opening.then((log) => log[level](event, fields));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
