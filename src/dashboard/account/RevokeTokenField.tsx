import { CheckField } from '../forms/Field.tsx';

/**
 * The option to revoke the API token too. It is offered wherever somebody signs all other sessions out, because a
 * thief may also have copied the token.
 */
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
