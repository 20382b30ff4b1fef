/** Success assertions as stored with a queue or a cron (§2.4). All must hold; the first failure is reported. */
export type Assertion =
  | { kind: 'json_path_equals'; path: string; expected: string }
  | { kind: 'body_contains'; text: string }
  | { kind: 'response_time_under'; ms: number };

export type AssertionKind = Assertion['kind'];

interface KindFacts {
  label: string;
  /** Whether it has a path. */
  hasPath: boolean;
  /** The property that its value stands in, and whether that is a number. */
  value: 'expected' | 'text' | 'ms';
  isNumber?: true;
}

/** What people choose from, in this order. How each is read and judged is in assertions.ts. */
const KINDS: Readonly<Record<AssertionKind, KindFacts>> = {
  json_path_equals: { label: 'JSON path equals', hasPath: true, value: 'expected' },
  body_contains: { label: 'Body contains', hasPath: false, value: 'text' },
  response_time_under: {
    label: 'Response time under (ms)',
    hasPath: false,
    value: 'ms',
    isNumber: true,
  },
};

export const ASSERTION_KINDS = Object.keys(KINDS) as readonly AssertionKind[];
export const labelOfKind = (kind: AssertionKind) => KINDS[kind].label;
export const hasPath = (kind: AssertionKind) => KINDS[kind].hasPath;

/** An assertion as people write it: in two fields. */
export interface AssertionTexts {
  path: string;
  value: string;
}

export function textsOfAssertion(assertion: Assertion): AssertionTexts {
  const { kind, ...rest } = assertion;
  const properties = rest as Record<string, string | number | undefined>;
  return { path: String(properties['path'] ?? ''), value: String(properties[KINDS[kind].value]) };
}

/** The shape that `parseAssertions` takes; a value that should be a number and is none stays a text. */
export function assertionOfTexts(kind: AssertionKind, { path, value }: AssertionTexts): unknown {
  const facts = KINDS[kind];
  const isWhole = facts.isNumber && /^\s*\d{1,9}\s*$/.test(value);
  return {
    kind,
    ...(facts.hasPath && { path }),
    [facts.value]: isWhole ? Number(value) : value,
  };
}

/** How many of them a queue or cron may have. */
export const MAX_ASSERTIONS = 20;
