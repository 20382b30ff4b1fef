import type { Assertion } from './assertion.ts';
import type { BodyNeeds, ReceivedBody } from './exchange.ts';
import { areNodesEqual, compareValues, locateNode } from './json-equality.ts';
import { locate, parsePath, MAX_PATH_LENGTH, type PathStep } from './json-path.ts';
import { parseJsonText, type JsonNode } from './json-text.ts';

/** Success assertions: reading them as written, and holding a response against them (§2.4, D23, D24). */

/** How many assertions a queue or cron may have. */
export const MAX_ASSERTIONS = 20;
/** How long an expected value may be, in characters. */
export const MAX_EXPECTED_LENGTH = 10_000;
/** How long a text to look for may be, in characters: every chunk of every body is held against it. */
export const MAX_SEARCH_LENGTH = 2_000;
/** The longest response time that can be asked for: the longest timeout there is (§2.3). */
export const MAX_RESPONSE_TIME_MS = 300_000;
/** How much of a value is shown in a verdict, in characters. */
const SHOWN_LENGTH = 200;

/** What the assertions are held against: a 2xx response, read with `needsOf` the same assertions. */
export interface ResponseFacts {
  body: Pick<ReceivedBody, 'found' | 'whole' | 'totalBytes'>;
  durationMs: number;
}

/** What came of one assertion. `expected` and `got` are for people, cut to a bounded length. */
export interface AssertionVerdict {
  assertion: Assertion;
  ok: boolean;
  expected: string;
  got: string;
}

/** What has to be known of a body to hold these assertions against it. */
export function needsOf(assertions: readonly Assertion[]): BodyNeeds {
  const searchFor: string[] = [];
  let whole = false;
  for (const assertion of assertions) {
    if (assertion.kind === 'body_contains') searchFor.push(assertion.text);
    else if (assertion.kind === 'json_path_equals') whole = true;
  }
  return { searchFor, whole };
}

/** Holds every assertion against the response, in order. Never throws, whatever the body is. */
export function evaluateAssertions(
  assertions: readonly Assertion[],
  facts: ResponseFacts,
): AssertionVerdict[] {
  const json = new ParsedBody(facts.body.whole);
  let searched = 0;
  return assertions.map((assertion): AssertionVerdict => {
    switch (assertion.kind) {
      case 'body_contains':
        return judgeContained(assertion, facts.body, searched++);
      case 'response_time_under':
        return judgeTime(assertion, facts.durationMs);
      case 'json_path_equals':
        return judgePath(assertion, json);
    }
  });
}

/** The rest of `Assertion failed: …` (D21): which, expected, got. */
export function describeFailure({ assertion, expected, got }: AssertionVerdict): string {
  return `${nameAssertion(assertion)}: expected ${expected}, got ${got}`;
}

function nameAssertion(assertion: Assertion): string {
  switch (assertion.kind) {
    case 'body_contains':
      return 'Body contains';
    case 'response_time_under':
      return 'Response time under (ms)';
    case 'json_path_equals':
      return `JSON path ${cut(assertion.path)} equals`;
  }
}

type OfKind<K extends Assertion['kind']> = Extract<Assertion, { kind: K }>;

function judgeContained(
  assertion: OfKind<'body_contains'>,
  body: ResponseFacts['body'],
  place: number,
): AssertionVerdict {
  const ok = body.found[place] === true;
  const got = ok ? 'a body with it' : `a body of ${body.totalBytes} bytes without it`;
  return { assertion, ok, expected: cut(JSON.stringify(assertion.text)), got };
}

function judgeTime(assertion: OfKind<'response_time_under'>, durationMs: number): AssertionVerdict {
  const ok = durationMs < assertion.ms;
  return { assertion, ok, expected: `less than ${assertion.ms}`, got: String(durationMs) };
}

function judgePath(assertion: OfKind<'json_path_equals'>, json: ParsedBody): AssertionVerdict {
  const expected = readExpected(assertion.expected);
  const verdict = (ok: boolean, got: string): AssertionVerdict => ({
    assertion,
    ok,
    expected: cut(expected.shown),
    got: cut(got),
  });
  const path = parsePath(assertion.path);
  if (path === null) return verdict(false, 'a path that cannot be read');
  if (json.fault !== null) return verdict(false, json.fault);
  const located = locate(json.value, path);
  if (located.kind === 'missing') return verdict(false, 'nothing at this path');
  const likeness = compareValues(located.value, expected.value);
  if (likeness !== 'unsure') return verdict(likeness === 'equal', json.show(located.value, path));
  return verdict(json.isExactly(path, expected), json.show(located.value, path));
}

interface Expected {
  value: unknown;
  /** The same with its digits kept, or null for a text that is no JSON and so stands for itself. */
  node: JsonNode | null;
  /** As it is written to people: JSON in either case. */
  shown: string;
}

/** A text nested deeper than trees are made is no JSON either, so that comparing needs no deep stack. */
function readExpected(text: string): Expected {
  const node = parseJsonText(text);
  if (typeof node === 'string') return { value: text, node: null, shown: JSON.stringify(text) };
  return { value: JSON.parse(text), node, shown: node.raw };
}

/** The body as JSON: parsed once for all assertions, and a second time only where digits decide. */
class ParsedBody {
  readonly value: unknown;
  /** Why there is no value, for people; null when there is one. */
  readonly fault: string | null;
  readonly #text: string;
  #node: JsonNode | null | undefined;

  constructor(whole: ReceivedBody['whole']) {
    this.#text = whole === null || whole === 'too-large' ? '' : whole.text;
    try {
      this.value = whole === null || whole === 'too-large' ? undefined : JSON.parse(whole.text);
      this.fault = whole === 'too-large' ? 'a body larger than 16 MiB, too large to parse' : null;
      if (whole === null) this.fault = 'no body';
    } catch {
      this.fault = 'a body that is not JSON';
    }
  }

  isExactly(path: readonly PathStep[], expected: Expected): boolean {
    const node = this.#locateNode(path);
    // Deeper than trees are made: then what doubles can tell is all that is known, and they are equal.
    if (node === null || expected.node === null) return true;
    return areNodesEqual(node, expected.node);
  }

  /** A value as JSON text; a number beyond doubles with the digits it came with. */
  show(value: unknown, path: readonly PathStep[]): string {
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      return this.#locateNode(path)?.raw ?? String(value);
    }
    if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_LENGTH * 2));
    if (typeof value !== 'object' || value === null) return String(value);
    return showContainer(value);
  }

  #locateNode(path: readonly PathStep[]): JsonNode | null {
    if (this.#node === undefined) {
      const parsed = parseJsonText(this.#text);
      this.#node = typeof parsed === 'string' ? null : parsed;
    }
    return this.#node === null ? null : locateNode(this.#node, path);
  }
}

/** A list or object is written out only where it is small; nobody reads more than the beginning of it. */
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

/** The beginning of a text, by whole characters. */
function cut(text: string): string {
  if (text.length <= SHOWN_LENGTH) return text;
  const characters = Array.from(text.slice(0, SHOWN_LENGTH * 2 + 2));
  if (characters.length <= SHOWN_LENGTH) return text;
  return `${characters.slice(0, SHOWN_LENGTH).join('')}…`;
}

/**
 * Reads a list of assertions as the operator's command line and the dashboard's forms give it (D24).
 * The error names the entry, counted from 1, and what is wrong with it. Unknown keys are left out.
 */
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

/** The assertion, or what is wrong with it. */
function parseAssertion(entry: unknown): Assertion | string {
  if (typeof entry !== 'object' || entry === null) return 'it must be an object with a kind.';
  const { kind, path, expected, text, ms } = entry as Record<string, unknown>;
  if (kind === 'json_path_equals') return parsePathEquals(path, expected);
  if (kind === 'body_contains') return parseBodyContains(text);
  if (kind === 'response_time_under') return parseResponseTime(ms);
  return 'its kind must be json_path_equals, body_contains or response_time_under.';
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
