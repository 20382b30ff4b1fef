import { isLongerThan } from '#domain/text-length';
import type { RequestFormValues } from './form-values.ts';

const MOST_SHOWN = 200;
/** More than a URL may have: a longer one is refused when the form is sent. */
const MOST_TAKEN = 4_096;

/**
 * Fills in the URL of the parameter `url`, which the page of a failed run sets to the target of a redirect. Anybody can
 * write such a link, so the form says where its URL comes from.
 */
export function takeLinkedUrl<Values extends RequestFormValues>(
  formValues: Values,
  search: URLSearchParams,
): { formValues: Values; urlNote: string | undefined } {
  const given = search.get('url')?.slice(0, MOST_TAKEN);
  const stored = formValues.url;
  if (!given || given === stored) return { formValues, urlNote: undefined };
  const shown = isLongerThan(stored, MOST_SHOWN) ? `${stored.slice(0, MOST_SHOWN)}…` : stored;
  const before = stored === '' ? '' : ` The stored URL is ${shown}.`;
  return {
    formValues: { ...formValues, url: given },
    urlNote: `This URL comes from the link that you opened.${before} Check it: the headers and the payload are sent to it.`,
  };
}
