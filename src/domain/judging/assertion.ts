/** All must hold; the first failure is reported (§2.4). */
export type Assertion =
  | { kind: 'json_path_equals'; path: string; expected: string }
  | { kind: 'body_contains'; text: string }
  | { kind: 'response_time_under'; ms: number };

type AssertionKind = Assertion['kind'];

interface KindFacts {
  label: string;
  hasPath: boolean;
  value: 'expected' | 'text' | 'ms';
  isNumber?: true;
}

/** In the order of the form. assertions.ts reads and judges them. */
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

interface AssertionTexts {
  path: string;
  value: string;
}

export function textsOfAssertion(assertion: Assertion): AssertionTexts {
  const { kind, ...rest } = assertion;
  const properties = rest as Record<string, string | number | undefined>;
  return { path: String(properties['path'] ?? ''), value: String(properties[KINDS[kind].value]) };
}

/** A text that should be a number but isn't stays a text. */
export function assertionOfTexts(kind: AssertionKind, { path, value }: AssertionTexts): unknown {
  const facts = KINDS[kind];
  const isWhole = facts.isNumber && /^\s*\d{1,9}\s*$/.test(value);
  return {
    kind,
    ...(facts.hasPath && { path }),
    [facts.value]: isWhole ? Number(value) : value,
  };
}

export const MAX_ASSERTIONS = 20;
