/** Reads pages of the documentation, so that tests can compare them with the code. */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.dirname(import.meta.dirname);

/** @param file  from the root of the repository, such as `docs/limits.md` */
export function readPage(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

/** The rows of all tables in a text, without their heads. */
export function rowsOf(text: string): string[][] {
  const lines = text.split('\n');
  const isRule = (line = '') => /^\| ?:?-/.test(line);
  return lines
    .filter((line, at) => line.startsWith('|') && !isRule(line) && !isRule(lines[at + 1]))
    .map(cellsOf);
}

export function headsOf(text: string): string[][] {
  return Array.from(text.matchAll(/^(\|.*)\n\| ?:?-/gm), ([, line = '']) => cellsOf(line));
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The words in code font. */
export function codesIn(text: string): string[] {
  return Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}

export function commandsOf(text: string): string[] {
  return Array.from(text.matchAll(/^```sh\n([^]*?)^```/gm), ([, block = '']) => block.trim());
}

/** The part of a page under a heading of the second level. */
export function sectionOf(text: string, heading: string): string {
  const [, behind] = text.split(`\n## ${heading}\n`);
  if (behind === undefined) throw new Error(`there is no heading ${heading}`);
  return behind.split('\n## ')[0] ?? '';
}
