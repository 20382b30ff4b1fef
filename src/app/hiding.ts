import type { Config } from '#config/config';
import { secretHeadersWith } from '#domain/http/secret-headers';

/** The operator's settings for every team. */
export function hidingOf({ secretHeaders, maskedFields }: Config) {
  return { isSecretHeader: secretHeadersWith(secretHeaders), maskedFields };
}
