import { type Pair, readPairs } from '#domain/http/form-pairs';
import { readTopLevelFields } from '#domain/json/text';
import type { Fields } from './fields.ts';
import { LIMITS } from '#domain/base/limits';

/** Like a malformed body. */
const MOST_PAIRS = 10_000;
/** Of all names together, because each level makes a group. */
const MOST_STEPS = 40_000;
/** Deeper brackets are refused alike. */
const MOST_LEVELS = LIMITS.payloadLevels + 1;

/** `a` in `a[b]=1&a[c]=2`. Lists have the keys 0, 1, 2 … */
interface Group {
  members: Map<string, string | Group>;
  /** The index of the next item that is written as `[]`. */
  nextIndex: number;
}

/** §4.5 @param wanted names up to the first bracket; undefined: all */
export function readFormFields(body: Buffer, wanted?: ReadonlySet<string>): Fields {
  const pairs = readPairs(body, MOST_PAIRS);
  if (pairs === null) return new Map();
  const isWanted = ([name]: Pair) => wanted?.has(name.split('[', 1)[0] ?? '') !== false;
  return readFormPairs(pairs.filter(isWanted));
}

/** `a[b]=1` makes objects, `a[]=1` and `a[0]=1` lists; the last of equal names wins. Unmatched brackets are literal. */
export function readFormPairs(pairs: Iterable<Pair>): Fields {
  const form = makeGroup();
  let count = 0;
  let steps = 0;
  for (const [name, value] of pairs) {
    const path = splitName(name);
    steps += path.length;
    if (++count > MOST_PAIRS || steps > MOST_STEPS) return new Map();
    place(form, path, value);
  }
  // As JSON, so that a form's fields equal a JSON body's.
  return readTopLevelFields(writeMembers(form)) ?? new Map();
}

function makeGroup(): Group {
  return { members: new Map(), nextIndex: 0 };
}

const BRACKETED = /^([^[]+)((?:\[[^\]]*\])+)$/;

/** `a[b][]` → `['a', 'b', '']` */
function splitName(name: string): string[] {
  const [, first, brackets] = BRACKETED.exec(name) ?? [];
  if (first === undefined || brackets === undefined) return [name];
  return [first, ...brackets.slice(1, -1).split('][').slice(0, MOST_LEVELS)];
}

function place(form: Group, path: readonly string[], value: string): void {
  const last = path.length - 1;
  let group = form;
  for (const [depth, step] of path.entries()) {
    const key = depth > 0 && step === '' ? String(group.nextIndex) : step;
    if (isIndex(key)) group.nextIndex = Math.max(group.nextIndex, Number(key) + 1);
    if (depth === last) group.members.set(key, value);
    else group = openGroup(group, key);
  }
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}

function openGroup(parent: Group, key: string): Group {
  const present = parent.members.get(key);
  if (typeof present === 'object') return present;
  const group = makeGroup();
  parent.members.set(key, group);
  return group;
}

function writeGroup(group: Group): string {
  const isList = [...group.members.keys()].every((key, index) => key === String(index));
  if (!isList) return writeMembers(group);
  return `[${[...group.members.values()].map(writeValue).join()}]`;
}

function writeMembers(group: Group): string {
  const members = [...group.members].map(
    ([key, value]) => `${JSON.stringify(key)}:${writeValue(value)}`,
  );
  return `{${members.join()}}`;
}

// Recursion is safe: at most MOST_LEVELS levels.
function writeValue(value: string | Group): string {
  return typeof value === 'string' ? JSON.stringify(value) : writeGroup(value);
}
