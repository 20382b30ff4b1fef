import { HTTP_METHODS } from '#domain/exchange';
import { LIMITS } from '#domain/limits';

/** §7, §7.1, §2.10, §2.6. The texts are part of the contract. */
export const MESSAGES = {
  nameRequired: 'A name for the cron job is required.',
  queueRequired: 'A queue name is required.',
  urlRequired: 'A target URL is required.',
  urlInvalid: 'The target URL must be a valid URL.',
  cronExpressionRequired: 'A cron expression is required.',
  cronExpressionInvalid: 'The cron expression is not a valid cron expression.',
  cronExpressionNeverRuns: 'The cron expression never produces a valid run time.',
  methodUnknown: `The method must be one of: ${HTTP_METHODS.join(', ')}.`,
  timeoutTooShort: `Timeout must be at least ${LIMITS.timeoutSeconds.least} second.`,
  timeoutTooLong: `Timeout cannot exceed ${LIMITS.timeoutSeconds.most} seconds (${LIMITS.timeoutSeconds.most / 60} minutes).`,
  alertThresholdUnknown: 'The alert threshold must be 1, 2, or 3.',
  delayTooLong: `The delay cannot exceed ${LIMITS.delaySeconds.most} seconds (${LIMITS.delaySeconds.most / 3600} hours).`,
  payloadTooDeep: `The payload field must not be nested deeper than ${LIMITS.payloadLevels} levels.`,
  tooManyHeaders: `The headers field must not have more than ${LIMITS.headerEntries} items.`,
  headersTooLarge: `The headers field must not be greater than ${LIMITS.headerBytes} bytes.`,
} as const;

/** `The timeout seconds field` (§7.1). */
function nameField(field: string): string {
  return `The ${field.replaceAll('_', ' ')} field`;
}

export const mustBeString = (field: string) => `${nameField(field)} must be a string.`;
export const mustBeInteger = (field: string) => `${nameField(field)} must be an integer.`;
export const mustBeBoolean = (field: string) => `${nameField(field)} must be true or false.`;
export const mustBeArray = (field: string) => `${nameField(field)} must be an array.`;
export const mustBeValidUrl = (field: string) => `${nameField(field)} must be a valid URL.`;
export const mustBeAtLeast = (field: string, least: number) =>
  `${nameField(field)} must be at least ${least}.`;
export const mustNotExceedCharacters = (field: string, most: number) =>
  `${nameField(field)} must not be greater than ${most} characters.`;

/** As given, with underscores. */
export const headerMustBeString = (name: string) => `The headers.${name} field must be a string.`;
export const headerNameInvalid = (name: string) =>
  `The headers.${name} field must have a valid HTTP header name.`;
export const headerValueInvalid = (name: string) =>
  `The headers.${name} field must be a valid HTTP header value.`;
export const headerNotAllowed = (name: string) => `The headers field must not set ${name}.`;
