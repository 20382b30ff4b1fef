import { CommanderError } from 'commander';

export class CommandFault extends Error {
  readonly code = 'COMMAND_REFUSED';
  /** 2: the settings name a database that this version can't use. */
  readonly exitCode: 1 | 2;

  constructor(
    message: string,
    { exitCode = 1, ...options }: ErrorOptions & { exitCode?: 1 | 2 } = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** One line, without values that may be secret. */
export function explainFault(fault: unknown): string {
  if (fault instanceof CommanderError) return toOneLine(explainUsage(fault));
  if (fault instanceof CommandFault) return toOneLine(fault.message);
  const { code, message } = Object(fault) as { code?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : String(fault);
  const isForPeople =
    code === 'TEAM_FULL' ||
    (typeof code === 'string' && code.startsWith('STORE_') && code !== 'STORE_FAULT');
  return toOneLine(isForPeople ? text : `unexpected fault: ${text}`);
}

function explainUsage({ code, message }: CommanderError): string {
  // The message would repeat a password that was typed with a space.
  if (code === 'commander.excessArguments') {
    return 'there are more arguments than this command takes; values with blanks need quotes.';
  }
  const text = message.replace(/^error: /, '');
  return code === 'commander.unknownOption' ? text.replace(/(--[^=\s']+)=.*'/s, "$1'") : text;
}

/** Removes line breaks and control characters, which a terminal would obey. */
export function toOneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a name from outside may hold what a terminal obeys
  return text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
}
