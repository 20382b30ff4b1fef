import type { HeaderList } from '#domain/http/exchange';
import { isFramingHeader, isHeaderName, isHeaderValue } from '#domain/http/header-syntax';
import { type JsonField, readTopLevelFields } from '#domain/json/text';
import {
  type Fields,
  type Findings,
  headerMustBeString,
  headerNameInvalid,
  headerNotAllowed,
  headerValueInvalid,
  MESSAGES,
  mustBeArray,
} from '../fields.ts';
import { LIMITS } from '#domain/base/limits';

/**
 * §2.1, §2.2, §2.10; an empty list reads as none. Each is checked only if number and size are within bounds, so an
 * absurd list gets one error.
 */
export function readHeaders(given: JsonField, findings: Findings): HeaderList {
  const entries = readEntries(given);
  if (entries === null) {
    findings.add('headers', mustBeArray('headers'));
    return [];
  }
  if (entries === 'too-large') {
    findings.add('headers', MESSAGES.headersTooLarge);
    return [];
  }
  return isWithinBounds(entries, findings) ? checkEntries(entries, findings) : [];
}

/** Not worth parsing: more than the bounds allow in any notation. */
const MOST_CHARACTERS = 16 * LIMITS.headerBytes;

function readEntries(given: JsonField): Fields | 'too-large' | null {
  if (given.kind === 'array') return given.isEmpty ? new Map() : null;
  if (given.kind !== 'object') return null;
  if (given.raw.length > MOST_CHARACTERS) return 'too-large';
  return readTopLevelFields(given.raw);
}

function isWithinBounds(entries: Fields, findings: Findings): boolean {
  let bytes = 0;
  for (const [name, node] of entries) {
    bytes += name.length + (node.kind === 'string' ? node.value.length : node.raw.length);
  }
  const isTooMany = entries.size > LIMITS.headerEntries;
  const isTooLarge = bytes > LIMITS.headerBytes;
  if (isTooMany) findings.add('headers', MESSAGES.tooManyHeaders);
  if (isTooLarge) findings.add('headers', MESSAGES.headersTooLarge);
  return !isTooMany && !isTooLarge;
}

function checkEntries(entries: Fields, findings: Findings): HeaderList {
  for (const name of entries.keys()) {
    if (isFramingHeader(name)) findings.add('headers', headerNotAllowed(name));
  }
  const headers: [string, string][] = [];
  for (const [name, node] of entries) {
    if (!isHeaderName(name)) findings.add(`headers.${name}`, headerNameInvalid(name));
    const value = readValue(name, node, findings);
    if (value !== null) headers.push([name, value]);
  }
  return headers;
}

function readValue(name: string, node: JsonField, findings: Findings): string | null {
  const field = `headers.${name}`;
  if (node.kind !== 'string') {
    findings.add(field, headerMustBeString(name));
    return null;
  }
  if (!isHeaderValue(node.value)) findings.add(field, headerValueInvalid(name));
  return node.value;
}
