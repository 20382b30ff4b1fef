import { parsePath } from '#domain/json/path';
import { isMaskedName, MASKED_NAME_CHARACTERS } from '#domain/runs/masking';
import type { TeamSettings } from '#store/people/teams';
import { text } from './kinds.ts';
import { type WordRule, words } from './list-kinds.ts';
import type { Resource } from './resource.ts';

export type { TeamSettings };

const PATH_CHARACTERS = 100;
const MOST_MASKED = 50;

const MASKED_RULE: WordRule = {
  most: MOST_MASKED,
  read: (word) => (isMaskedName(word) ? word.toLowerCase() : null),
  texts: {
    notAList: 'Masked fields must be a list of names.',
    tooMany: `There can be at most ${MOST_MASKED} masked fields.`,
    wrong: (word) =>
      `${JSON.stringify(word.slice(0, MASKED_NAME_CHARACTERS))} can be no name of a field: up to ${MASKED_NAME_CHARACTERS} letters, digits and . _ $ @ -.`,
  },
};

export const TEAM: Resource<TeamSettings> = {
  shownField: text('shown_field', {
    rules: [
      (path) => (parsePath(path) === null ? 'The field must be a path, such as $.customer.' : null),
    ],
    most: PATH_CHARACTERS,
    option: {
      flags: '--shown-field <PATH>',
      help: 'the field of payloads that lists of jobs show, such as $.customer',
      none: 'show no field',
    },
    activity: ['field in lists of jobs', 'value'],
  }),
  maskedFields: words('masked_fields', MASKED_RULE, {
    option: {
      flags: '--masked-field <NAME>',
      help: 'a field whose values pages, exports and notifications hide, such as card_number; may be repeated',
      none: 'hide the values of no field',
    },
    activity: ['masked fields', 'value'],
  }),
};
