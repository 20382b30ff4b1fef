import { parseJsonText, type JsonNode } from './text.ts';

/**
 * Numbers are equal by value, objects in any order of keys (§2.4). A quick comparison of values from JSON.parse, and
 * an exact one of trees with their digits.
 */

/** 'unsure': equal, but a number is too large for a double. */
type Comparison = 'equal' | 'different' | 'unsure';

/** Recurses as deep as the shallower value. */
export function compareValues(one: unknown, other: unknown): Comparison {
  if (typeof one === 'number' && one === other) {
    return Math.abs(one) > Number.MAX_SAFE_INTEGER ? 'unsure' : 'equal';
  }
  if (one === other) return 'equal';
  if (!isContainer(one) || !isContainer(other)) return 'different';
  if (Array.isArray(one) !== Array.isArray(other)) return 'different';
  return compareMembers(one, other);
}

/**
 * A string equals an unquoted expected value (§2.4) as typed (`abc`, `5`, `"5"` with quotes), or as JSON spells it
 * between quotes (`line\nx`). The number 5 isn't a string.
 */
export function isTextOf(value: string, written: string): boolean {
  if (value === written) return true;
  const unquoted = parseJsonText(`"${written}"`);
  return typeof unquoted === 'object' && unquoted.kind === 'string' && unquoted.value === value;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function compareMembers(one: Record<string, unknown>, other: Record<string, unknown>): Comparison {
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return 'different';
  let comparison: Comparison = 'equal';
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) return 'different';
    const member = compareValues(one[key], other[key]);
    if (member === 'different') return member;
    if (member === 'unsure') comparison = member;
  }
  return comparison;
}

/** `1.0`, `1` and `10e-1` are equal; 9007199254740993 and …992 aren't. */
export function areNodesEqual(one: JsonNode, other: JsonNode): boolean {
  if (one.kind === 'number') {
    return other.kind === 'number' && canonicalNumber(one.text) === canonicalNumber(other.text);
  }
  if (one.kind === 'string') return other.kind === 'string' && one.value === other.value;
  if (one.kind === 'array') {
    if (other.kind !== 'array' || one.items.length !== other.items.length) return false;
    return one.items.every((item, place) => {
      const counterpart = other.items[place];
      return counterpart !== undefined && areNodesEqual(item, counterpart);
    });
  }
  if (one.kind === 'object') return other.kind === 'object' && areEntriesEqual(one, other);
  return one.kind === other.kind;
}

type ObjectNode = Extract<JsonNode, { kind: 'object' }>;

function areEntriesEqual(one: ObjectNode, other: ObjectNode): boolean {
  if (one.entries.size !== other.entries.size) return false;
  for (const [key, member] of one.entries) {
    const counterpart = other.entries.get(key);
    if (counterpart === undefined || !areNodesEqual(member, counterpart)) return false;
  }
  return true;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Sign, digits without outer zeros, power of ten. A number whose exponent is too large to compute with stays as
 * written.
 */
export function canonicalNumber(text: string): string {
  const parts = NUMBER.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = trimZeros(whole + fraction);
  if (digits.text === '') return '0';
  const power = Number(exponent) - fraction.length + digits.trailing;
  return Number.isSafeInteger(power) ? `${sign}${digits.text}e${power}` : text;
}

function trimZeros(digits: string): { text: string; trailing: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return { text: digits.slice(start, end), trailing: digits.length - end };
}
