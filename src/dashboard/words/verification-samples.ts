/** Of the functions in docs/signing.md (§5.6), by the heading above each. */
export function readVerificationSamples(docs: string): { language: string; code: string }[] {
  const blocks = docs.matchAll(/\n### (\w+)\n\n```(\w+)\n([^]*?)\n```/g);
  return [...blocks].flatMap(([, language = '', syntax, code = '']) =>
    syntax === 'sh' ? [] : [{ language, code }],
  );
}
