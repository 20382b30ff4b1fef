/**
 * The files that a container engine copies into the build context.
 *
 * @param ignore  the content of .dockerignore; its last pattern that matches a file or one of its folders decides
 */
export function filterContext(ignore: string, files: readonly string[]): string[] {
  const rules = ignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), matches: readPattern(line.replace(/^!/, '')) }));
  return files.filter((file) => {
    const places = listPlaces(file);
    const last = rules.findLast(({ matches }) => places.some((place) => matches.test(place)));
    return last?.keeps ?? true;
  });
}

/** The file and the folders it is in: `a`, `a/b`, `a/b/c.ts`. */
function listPlaces(file: string): string[] {
  const parts = file.split('/');
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'));
}

/** Unlike a shell, `*` also matches a dot at the start of a name. */
function readPattern(pattern: string): RegExp {
  const parts = pattern.match(/\*\*\/?|[^]/g) ?? [];
  const patterns: Record<string, string> = {
    '*': '[^/]*',
    '?': '[^/]',
    '**': '.*',
    '**/': '(.*/)?',
  };
  return new RegExp(`^${parts.map((part) => patterns[part] ?? RegExp.escape(part)).join('')}$`);
}
