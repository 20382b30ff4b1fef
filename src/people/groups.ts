/** Names of groups, as a provider or a proxy writes them. They are compared to the letter. */

export const LONGEST_GROUP = 200;
const MOST_GROUPS = 500;

/** In one line, without blanks at its ends; null where the text is no name of a group. */
export function readGroup(text: string): string | null {
  const name = text.trim();
  const isName = name !== '' && name.length <= LONGEST_GROUP && !/[\p{Cc}\p{Cs}]/u.test(name);
  return isName ? name : null;
}

/** The groups of a claim of OpenID Connect, a list or one text; null where the claim is missing, or something else. */
export function readGroupsClaim(claim: unknown): string[] | null {
  if (typeof claim === 'string') return gather([claim]);
  return Array.isArray(claim) ? gather(claim) : null;
}

/** The groups of a header; where it is missing there are none. */
export function readGroupsHeader(text: string | null, separator: string): string[] {
  return text === null ? [] : gather(text.split(separator));
}

/** Each once, in order, so that the same groups are the same text. What is no name is left out. */
function gather(written: readonly unknown[]): string[] {
  const names = new Set<string>();
  for (const each of written) {
    const name = typeof each === 'string' ? readGroup(each) : null;
    if (name !== null) names.add(name);
    if (names.size === MOST_GROUPS) break;
  }
  return [...names].toSorted();
}
