import { MOST_TAGS, TAG_CHARACTERS } from '#domain/tags';
import { TextField } from '../forms/Field.tsx';
import type { FieldErrors } from '../services.ts';

type TagsFieldProps = {
  defaultValue: string;
  errors: FieldErrors | undefined;
};

/** Room for the most tags of the greatest length, with a comma and a space behind each. */
const mostCharacters = MOST_TAGS * (TAG_CHARACTERS + 2);

/** The tags of a cron or queue (§2.13), on one line. */
export function TagsField({ defaultValue, errors }: TagsFieldProps) {
  return (
    <TextField
      name="tags"
      label="Tags"
      description={`Up to ${MOST_TAGS} short words to find it by, with commas between them.`}
      maxLength={mostCharacters}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      placeholder="billing, nightly"
      defaultValue={defaultValue}
      errors={errors}
    />
  );
}
