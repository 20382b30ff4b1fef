import type { Command } from 'commander';
import { parseUtc } from '#domain/base/instant';
import { CommandFault } from './fault.ts';
import type { Options } from './fields.ts';

export function addUntil(command: Command): Command {
  return command.option('--until <TIME>', 'end the pause then, in UTC such as "2026-12-31 18:00"');
}

/** Null: without end. */
export function readUntil(until: Options[string], now: number): number | null {
  if (typeof until !== 'string') return null;
  const at = parseUtc(until);
  if (at === null)
    throw new CommandFault('--until: It must be a time in UTC, such as "2026-12-31 18:00".');
  refusePast(at, now);
  return at;
}

export function refusePast(pausedUntil: number | null | undefined, now: number): void {
  if (typeof pausedUntil === 'number' && pausedUntil <= now)
    throw new CommandFault('the end of the pause must be in the future.');
}
