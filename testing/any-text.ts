import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** Any character, half of them ASCII. The library's own unit for it takes most of a second to make in each process. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10ffff - SURROGATES }))
  .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES));

/** Texts of any characters, control characters and those beyond 16 bits included, but no halves of surrogate pairs. */
export function anyText(size: { maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ unit: anyCharacter, ...size });
}

/** URLs of any host and path. The library's own arbitrary rests on the dear unit above. */
export function anyUrl({ withQuery = false } = {}): fc.Arbitrary<string> {
  const written = anyText({ maxLength: 12 }).map(encodeURIComponent);
  const query = withQuery
    ? fc.oneof(
        fc.constant(''),
        written.map((text) => `?${text}`),
      )
    : fc.constant('');
  return fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.array(written, { maxLength: 4 }),
      query,
    )
    .map(([scheme, host, path, rest]) => `${scheme}://${host}/${path.join('/')}${rest}`);
}
