import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

const ROOT = path.dirname(import.meta.dirname);
const FILES = '{src,spec,testing,bench,bin,docs}/**/*.{ts,tsx,js,css,md}';
const BEHAVIOUR = 'docs/behaviour.md';

interface Citation {
  file: string;
  section: string;
}

/** Sections of other documents are cited with their name before them: `RFC 9110 §5.1`. */
function findCitations(file: string, text: string): Citation[] {
  const cited = text.matchAll(/(?<!RFC \d+ )§(\d+(?:\.\d+)*)/g);
  return [...cited].map(([, section = '']) => ({ file, section }));
}

function readSections(text: string): Set<string> {
  return new Set([...text.matchAll(/^#{2,3} (\d+(?:\.\d+)*) /gm)].map(([, number = '']) => number));
}

describe('citations of docs/behaviour.md', () => {
  const sections = readSections(fs.readFileSync(path.join(ROOT, BEHAVIOUR), 'utf8'));
  const files = fs.globSync(FILES, { cwd: ROOT }).filter((file) => !file.includes('node_modules'));
  const texts = files.map(
    (file) => [file, fs.readFileSync(path.join(ROOT, file), 'utf8')] as const,
  );

  test('every citation of docs/behaviour.md leads to a section that is there', () => {
    const citations = texts.flatMap(([file, text]) => findCitations(file, text));
    assert.ok(citations.length > 100, `only ${citations.length} were found`);
    assert.deepEqual(
      citations.filter(({ section }) => !sections.has(section)),
      [],
    );
  });

  test('every section of docs/behaviour.md has its anchor, and none twice', () => {
    const text = fs.readFileSync(path.join(ROOT, BEHAVIOUR), 'utf8');
    const anchors = [...text.matchAll(/^<a id="([\d.]+)"><\/a>$/gm)].map(([, id]) => id);
    assert.deepEqual(anchors, [...sections]);
  });

  test('quotes in test titles are in the document', () => {
    const document = fs.readFileSync(path.join(ROOT, BEHAVIOUR), 'utf8').replaceAll('`', '');
    const quotes = texts
      .filter(([file]) => file.endsWith('.test.ts'))
      .flatMap(([file, text]) =>
        [...text.matchAll(/^ *(?:test|describe)\(\s*(['"`])(.*?)\1, /gm)].flatMap(
          ([, , title = '']) =>
            [...title.matchAll(/"([^"$]{8,})"/g)].map(([, quote = '']) => ({ file, quote })),
        ),
      );
    assert.deepEqual(
      quotes.filter(({ quote }) => !document.includes(quote)),
      [],
    );
  });
});
