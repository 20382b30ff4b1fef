import { isDeepStrictEqual } from 'node:util';

/** Of two JSON texts. Numbers are equal by value, objects in any order of keys (§2.4). */
export function areTextsEqual(one: string, other: string): boolean {
  // Reading exactly is slow, so it is only done for values that are equal as doubles.
  if (!areValuesEqual(JSON.parse(one), JSON.parse(other))) return false;
  return isDeepStrictEqual(parseExactly(one), parseExactly(other));
}

/** Recurses as deep as the shallower value. */
function areValuesEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isContainer(one) || !isContainer(other)) return false;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && areValuesEqual(one[key], other[key]))
  );
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** `1.0`, `1` and `10e-1` are the same; 9007199254740993 and …992 aren't. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' ? new ExactNumber(source) : value,
  );
}

class ExactNumber {
  readonly canonical: string;

  constructor(digits: string) {
    this.canonical = canonicalNumber(digits);
  }
}

/**
 * A string equals an unquoted expected value (§2.4) as typed (`abc`, `5`, `"5"` with quotes), or as JSON spells it
 * between quotes (`line\nx`). The number 5 isn't a string.
 */
export function isTextOf(value: string, written: string): boolean {
  if (value === written) return true;
  try {
    return JSON.parse(`"${written}"`) === value;
  } catch {
    return false;
  }
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Sign, digits without outer zeros, power of ten. A number whose exponent is too large to compute with stays as
 * written.
 */
function canonicalNumber(text: string): string {
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
