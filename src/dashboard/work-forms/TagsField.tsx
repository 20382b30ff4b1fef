import { MOST_TAGS, TAG_CHARACTERS } from '#domain/tags';
import { TextField } from '../forms/Field.tsx';
import type { FieldErrors } from '../services.ts';

type TagsFieldProps = {
  defaultValue: string;
  errors: FieldErrors | undefined;
};

/** As many of the longest as there may be, and a comma and a space behind each. */
const mostCharacters = MOST_TAGS * (TAG_CHARACTERS + 2);

/** What a cron or queue is filed under (§2.13), as one line. */
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
