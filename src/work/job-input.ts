import type { HeaderList, HttpMethod } from '#domain/exchange';
import { CALLBACK_URL_RULES, TARGET_URL_RULES } from './fields.ts';
import { type Fields, Findings, type Reading, findGiven, isAtMost, isName } from './fields.ts';
import { readInteger, readMethod, readRequiredText, readText } from './fields.ts';
import { readHeaders } from './header-input.ts';
import { LIMITS } from '#domain/limits';
import { MESSAGES, mustBeArray, mustBeAtLeast } from './messages.ts';

/** A validated job (§2.2), with every default filled in. Texts are as given, untrimmed. */
export interface JobInput {
  /** The queue's name; it need not exist yet. */
  queue: string;
  url: string;
  method: HttpMethod;
  headers: HeaderList;
  /** The JSON text of an object or a list, exactly as given (§2.6); null for no payload. */
  payloadJson: string | null;
  callbackUrl: string | null;
  delaySeconds: number;
}

/** The fields that a job has (§2.2). Others are ignored. */
export const JOB_FIELDS: ReadonlySet<string> = new Set(
  'queue url method headers payload callback_url delay'.split(' '),
);

const QUEUE = {
  missing: MESSAGES.queueRequired,
  rules: [isName('queue'), isAtMost('queue', LIMITS.queueCharacters)],
};
const URL_FIELD = { missing: MESSAGES.urlRequired, rules: TARGET_URL_RULES };

/**
 * Reads a job from a body or a form (§2.2, §7, §2.9, §2.10, §4.5, §7.1, §2.6). Unknown fields are ignored.
 * All failing fields are reported, in the order of the table. Never throws.
 */
export function readJobInput(fields: Fields): Reading<JobInput> {
  const findings = new Findings();
  // Properties are evaluated in the order of the table, which is the order of the errors.
  const input = {
    queue: readRequiredText(fields, 'queue', QUEUE, findings),
    url: readRequiredText(fields, 'url', URL_FIELD, findings),
    method: readMethod(fields, 'POST', findings),
    headers: readHeaders(fields, findings),
    payloadJson: readPayload(fields, findings),
    callbackUrl: readText(fields, 'callback_url', CALLBACK_URL_RULES, findings),
    delaySeconds: readDelay(fields, findings),
  };
  return findings.settle(input);
}

function readPayload(fields: Fields, findings: Findings): string | null {
  const given = findGiven(fields, 'payload');
  if (given === null) return null;
  if (given.kind !== 'object' && given.kind !== 'array') {
    findings.add('payload', mustBeArray('payload'));
    return null;
  }
  if (given.depth > LIMITS.payloadLevels) findings.add('payload', MESSAGES.payloadTooDeep);
  return given.raw;
}

function readDelay(fields: Fields, findings: Findings): number {
  const { least, most } = LIMITS.delaySeconds;
  const seconds = readInteger(fields, 'delay', findings) ?? 0;
  if (seconds < least) findings.add('delay', mustBeAtLeast('delay', least));
  if (seconds > most) findings.add('delay', MESSAGES.delayTooLong);
  return seconds;
}
