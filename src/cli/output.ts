import type { Terminal } from './services.ts';

/** Control characters that JSON leaves as they are and terminals may obey. */
const OBEYED = /[\u007f-\u009f\u2028\u2029]/g;

/** Prints a value as JSON: set out for reading on a terminal, else one line. */
export function printJson(terminal: Terminal, value: unknown): void {
  const json = JSON.stringify(value, null, terminal.isInteractive ? 2 : undefined);
  terminal.print(`${json.replaceAll(OBEYED, escapeCharacter)}\n`);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
