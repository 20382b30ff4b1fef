import type { Config } from '#config/config';
import { secretHeadersWith } from '#domain/secret-headers';

/** What the operator hides in every team. */
export function hidingOf({ secretHeaders, maskedFields }: Config) {
  return { isSecretHeader: secretHeadersWith(secretHeaders), maskedFields };
}
