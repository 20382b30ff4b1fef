import { parsePath } from '#domain/json/path';
import { text } from './kinds.ts';
import type { Resource } from './resource.ts';

export interface TeamSettings {
  /** A JSON path (§2.4): lists of jobs show this field of payloads. */
  shownField: string | null;
}

const MOST_CHARACTERS = 100;

export const TEAM: Resource<TeamSettings> = {
  shownField: text('shown_field', {
    rules: [
      (path) => (parsePath(path) === null ? 'The field must be a path, such as $.customer.' : null),
    ],
    most: MOST_CHARACTERS,
    option: {
      flags: '--shown-field <PATH>',
      help: 'the field of payloads that lists of jobs show, such as $.customer',
      none: 'show no field',
    },
    activity: ['field in lists of jobs', 'value'],
  }),
};
