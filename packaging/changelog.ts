/** Below a new empty section Unreleased. */
export function releaseChangelog(text: string, version: string, day: string): string {
  if (readSection(text, 'Unreleased') === '')
    throw new Error('CHANGELOG.md has nothing under Unreleased');
  return text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${day})`);
}

/** Empty if there is no such heading. */
export function readSection(text: string, heading: string): string {
  const sections = text.split(/^## /m);
  const found = sections.find((section) => /^[^\s(]+/.exec(section)?.[0] === heading);
  return found?.slice(found.indexOf('\n')).trim() ?? '';
}

/** Without relative links: users read the notes alone. */
export function writeNotes(text: string, version: string): string {
  const notes = readSection(text, version) || readSection(text, 'Unreleased');
  return `${notes.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1')}\n`;
}
