import { createHash } from 'node:crypto';
import { readText, type Values, valuesOf, versionField } from '../forms/values.ts';

/** With a hidden field by which the action finds a change since the form was opened. */
export function withVersion(values: Values): Values {
  const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64url');
  return { ...values, [versionField]: digest.slice(0, 16) };
}

/**
 * @param stored as the form would show it now
 * @param wanted as it would show it after saving; the same if the form was sent before, as by a double click
 * @returns null if the settings are as they were when the form was opened
 */
export function findChange(form: FormData, stored: Values, wanted: Values) {
  const { [versionField]: version } = withVersion(stored);
  const { [versionField]: next } = withVersion(wanted);
  if ([version, ''].includes(readText(form, versionField)) || version === next) return null;
  return {
    title: 'Nothing was saved: these settings have changed since you opened the form',
    problem:
      'Your input is still here. Save again to replace the change with it, or open the form anew to see the change.',
    values: { ...valuesOf(form), [versionField]: version },
  };
}
