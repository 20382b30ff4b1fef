import { type Assertion, ASSERTION_KINDS, labelOfKind, MAX_ASSERTIONS } from './assertion.ts';
import type { BodyNeeds, ReceivedBody } from '../http/exchange.ts';
import { areTextsEqual, isTextOf } from '../json/equality.ts';
import type { FoundValue } from '../json/find.ts';
import { parsePath, MAX_PATH_LENGTH, type PathStep } from '../json/path.ts';
import { MAX_JSON_DEPTH, readJsonField } from '../json/text.ts';
import { LIMITS } from '../base/limits.ts';
import { cut } from '../base/text-length.ts';

/** Success assertions (§2.4, §2.7). */

const MAX_EXPECTED_LENGTH = 10_000;
const MAX_SEARCH_LENGTH = 2_000;
const MAX_RESPONSE_TIME_MS = LIMITS.timeoutSeconds.most * 1000;
const SHOWN_LENGTH = 200;

/** The body was read with `needsOf` of the same assertions. */
export interface ResponseFacts {
  body: Pick<ReceivedBody, 'found' | 'json' | 'totalBytes'>;
  durationMs: number;
}

/** For people; `expected` and `got` are cut. */
export interface AssertionVerdict {
  assertion: Assertion;
  ok: boolean;
  expected: string;
  got: string;
}

export function needsOf(assertions: readonly Assertion[]): BodyNeeds {
  const searchFor: string[] = [];
  const paths: PathStep[][] = [];
  for (const assertion of assertions) {
    if (assertion.kind === 'body_contains') searchFor.push(assertion.text);
    else if (assertion.kind === 'json_path_equals') paths.push(parsePath(assertion.path) ?? []);
  }
  return { searchFor, paths };
}

export function evaluateAssertions(
  assertions: readonly Assertion[],
  { body, durationMs }: ResponseFacts,
): AssertionVerdict[] {
  let searched = 0;
  let followed = 0;
  const judge = (assertion: Assertion): Pick<AssertionVerdict, 'ok' | 'got'> => {
    switch (assertion.kind) {
      case 'body_contains':
        return judgeContained(body.found[searched++] === true, body.totalBytes);
      case 'response_time_under':
        return { ok: durationMs < assertion.ms, got: String(durationMs) };
      case 'json_path_equals':
        return judgePath(assertion, body.json, followed++);
    }
  };
  return assertions.map((assertion) => {
    const { ok, got } = judge(assertion);
    return { assertion, ok, expected: describeExpected(assertion), got };
  });
}

/** The message after `Assertion failed: ` (§2.7). */
export function describeFailure({ assertion, expected, got }: AssertionVerdict): string {
  return `${nameAssertion(assertion)}: expected ${expected}, got ${got}`;
}

export function describeExpected(assertion: Assertion): string {
  switch (assertion.kind) {
    case 'body_contains':
      return cutShown(JSON.stringify(assertion.text));
    case 'response_time_under':
      return `less than ${assertion.ms}`;
    case 'json_path_equals':
      return showExpected(assertion.expected);
  }
}

function nameAssertion(assertion: Assertion): string {
  if (assertion.kind === 'json_path_equals') return `JSON path ${cutShown(assertion.path)} equals`;
  return labelOfKind(assertion.kind);
}

function judgeContained(ok: boolean, totalBytes: number) {
  return { ok, got: ok ? 'a body with it' : `a body of ${totalBytes} bytes without it` };
}

function judgePath(
  { path, expected }: Extract<Assertion, { kind: 'json_path_equals' }>,
  json: ReceivedBody['json'],
  place: number,
) {
  const fails = (got: string) => ({ ok: false, got: cutShown(got) });
  if (parsePath(path) === null) return fails('a path that cannot be read');
  if (json === null) return fails('no body');
  if ('fault' in json) return fails(json.fault);
  const found = json.values[place] ?? { kind: 'missing' };
  if (found.kind === 'missing') return fails('nothing at this path');
  if (found.kind === 'large') return fails(showLarge(found));
  return { ok: isEqual(found.text, expected), got: cutShown(showValue(found.text)) };
}

function isEqual(text: string, written: string): boolean {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'string' && isTextOf(value, written)) return true;
  const json = readExpected(written);
  return json !== null && areTextsEqual(text, json);
}

/** Null for plain text, and for JSON that is nested so deeply that comparing would need a deep stack. */
function readExpected(written: string): string | null {
  const field = readJsonField(written);
  const isTooDeep = field !== null && 'depth' in field && field.depth > MAX_JSON_DEPTH;
  return isTooDeep ? null : (field?.raw ?? null);
}

function showExpected(written: string): string {
  return cutShown(readExpected(written) ?? JSON.stringify(written));
}

/** A number that a double can't hold exactly keeps its digits. */
function showValue(text: string): string {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') {
    return Math.abs(value) > Number.MAX_SAFE_INTEGER ? text : String(value);
  }
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_LENGTH * 2));
  if (typeof value !== 'object' || value === null) return String(value);
  return showContainer(value);
}

function showLarge({ is, start, members }: Extract<FoundValue, { kind: 'large' }>): string {
  if (is === 'array') return `a list of ${members}`;
  if (is === 'object') return `an object of ${members}`;
  return start.slice(0, SHOWN_LENGTH * 2);
}

function showContainer(value: object): string {
  const members = Array.isArray(value) ? value.length : Object.keys(value).length;
  const kind = Array.isArray(value) ? 'a list of' : 'an object of';
  if (members > SHOWN_LENGTH) return `${kind} ${members}`;
  try {
    const text = JSON.stringify(value);
    return text.length > SHOWN_LENGTH * 50 ? `${kind} ${members}` : text;
  } catch {
    return `${kind} ${members}, too deeply nested to show`;
  }
}

export function cutShown(text: string): string {
  return cut(text, SHOWN_LENGTH + 1);
}

/** Errors count entries from 1 (§2.4). */
export function parseAssertions(input: unknown): Assertion[] | { error: string } {
  if (!Array.isArray(input)) return { error: 'Assertions must be a list.' };
  if (input.length > MAX_ASSERTIONS) {
    return { error: `There may be at most ${MAX_ASSERTIONS} assertions.` };
  }
  const assertions: Assertion[] = [];
  for (const [place, entry] of input.entries()) {
    const assertion = parseAssertion(entry);
    if (typeof assertion === 'string') return { error: `Assertion ${place + 1}: ${assertion}` };
    assertions.push(assertion);
  }
  return assertions;
}

function parseAssertion(entry: unknown): Assertion | string {
  if (typeof entry !== 'object' || entry === null) return 'it must be an object with a kind.';
  const assertion = parseFields(entry as Record<string, unknown>);
  if (typeof assertion === 'string') return assertion;
  // A misspelt field would silently have no effect.
  const unknown = Object.keys(entry).find((field) => !Object.hasOwn(assertion, field));
  if (unknown === undefined) return assertion;
  return `it has no field ${cutShown(unknown)}; there are ${Object.keys(assertion).join(', ')}.`;
}

function parseFields(fields: Record<string, unknown>): Assertion | string {
  const { kind, path, expected, text, ms } = fields;
  if (kind === 'json_path_equals') return parsePathEquals(path, expected);
  if (kind === 'body_contains') return parseBodyContains(text);
  if (kind === 'response_time_under') return parseResponseTime(ms);
  return `its kind must be ${ASSERTION_KINDS.slice(0, -1).join(', ')} or ${ASSERTION_KINDS.at(-1)}.`;
}

function parsePathEquals(path: unknown, expected: unknown): Assertion | string {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH || parsePath(path) === null) {
    return 'its path must be a JSON path such as data.items[0].id.';
  }
  if (typeof expected !== 'string') return 'its expected value must be a text, written as JSON.';
  if (expected.length > MAX_EXPECTED_LENGTH) return tooLong('expected value', MAX_EXPECTED_LENGTH);
  return { kind: 'json_path_equals', path, expected };
}

function parseBodyContains(text: unknown): Assertion | string {
  if (typeof text !== 'string' || text === '') return 'its text must not be empty.';
  if (text.length > MAX_SEARCH_LENGTH) return tooLong('text', MAX_SEARCH_LENGTH);
  return { kind: 'body_contains', text };
}

function parseResponseTime(ms: unknown): Assertion | string {
  const valid = Number.isSafeInteger(ms) && Number(ms) >= 1 && Number(ms) <= MAX_RESPONSE_TIME_MS;
  if (!valid) return `its ms must be a whole number from 1 to ${MAX_RESPONSE_TIME_MS}.`;
  return { kind: 'response_time_under', ms: Number(ms) };
}

function tooLong(what: string, limit: number): string {
  return `its ${what} must not be longer than ${limit} characters.`;
}
