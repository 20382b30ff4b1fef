import { CheckField } from '../forms/Field.tsx';

/** Asked wherever somebody shuts everybody else out: a thief may have copied the token, too. */
export function RevokeTokenField() {
  return (
    <CheckField
      name="revoke_token"
      label="Revoke the API token too"
      description="Whatever calls the API with it stops. Keep it only if you know that nobody else has it."
      defaultChecked
    />
  );
}
