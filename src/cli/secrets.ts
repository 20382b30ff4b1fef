import { CommandFault } from './fault.ts';
import { show, type Session } from './session.ts';

/** Other users of the machine can see the arguments of a command. */
export const SECRET_FROM = ', env:NAME for a variable of the environment, or - for standard input';

/** As given, or from the environment or standard input. Never printed. */
export async function readSecret(
  { services }: Session,
  option: string,
  text: string,
): Promise<string> {
  if (text === '-') {
    const given = await services.readFile('-');
    if ('fault' in given) throw new CommandFault(`${option}: standard input ${given.fault}.`);
    refuseBlank(option, given.text);
    return given.text.replace(/\r?\n$/, '');
  }
  const name = /^env:(.*)$/s.exec(text)?.[1];
  if (name === undefined) return text;
  const value = services.readVariable(name);
  if (value === undefined || value === '')
    throw new CommandFault(`${option}: the environment variable ${show(name)} is not set.`);
  return value;
}

/** In a form a blank field means the default; here it is a mistake. */
export function refuseBlank(option: string, text: string): void {
  if (text.trim() === '') throw new CommandFault(`${option} is empty.`);
}
