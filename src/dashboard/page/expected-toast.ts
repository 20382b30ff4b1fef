/**
 * Whether a form of this tab was just answered with a redirect: the next page then shows the message about it. Other
 * tabs get the same message with their refreshes, and must not show it.
 */
let isExpected = false;

export function expectToast(): void {
  isExpected = true;
}

/** @returns whether a message was expected; from then on none is */
export function takeExpected(): boolean {
  const was = isExpected;
  isExpected = false;
  return was;
}
