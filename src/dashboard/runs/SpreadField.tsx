import { PlainField } from '../forms/Field.tsx';

/** For a retry of many: at which rate they come due. */
export function SpreadField() {
  return (
    <PlainField
      name="rate"
      label="Spread at a rate"
      description="Such as 10/second, 100/minute or 500/hour; the next page says when the last is sent. Empty: all at once."
      placeholder="all at once"
    />
  );
}
