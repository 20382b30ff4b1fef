/** RFC 9110 5.6.2: a token. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 5.5: visible characters, space, tab and the upper half of Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const FRAMING =
  /^(?:content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|proxy-.*)$/i;

export function isHeaderName(text: string): boolean {
  return NAME.test(text);
}

export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}

export function isFramingHeader(name: string): boolean {
  return FRAMING.test(name);
}
