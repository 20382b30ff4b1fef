/** The links between the documents, and the files and log events that they name. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

const ROOT = path.dirname(import.meta.dirname);
const PAGES = fs.globSync(['*.md', '.github/**/*.md', 'docs/**/*.md', 'packaging/*.md'], {
  cwd: ROOT,
});

const withoutCode = (text: string) => text.replaceAll(/^```[^]*?^```/gm, '');

function readPage(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

/** The addresses of links and pictures, without those of other hosts. */
function readLinks(text: string): string[] {
  const prose = withoutCode(text).replaceAll(/`[^`]*`/g, '');
  const links = prose.matchAll(/\]\(<?([^)\s>]+)>?\)|(?:src|srcset|href)="([^"]+)"/g);
  return [...links]
    .map(([, markdown, html]) => markdown ?? html ?? '')
    .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link));
}

/** The anchors of a page: GitHub makes one from each heading, `<a id>` names others. */
function readAnchors(text: string): Set<string> {
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a link of a page; null if it leads somewhere. */
function findFault(page: string, link: string): string | null {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : path.join(path.dirname(page), file);
  if (!fs.existsSync(path.join(ROOT, target))) return `${page}: ${link}: no such file`;
  if (anchor === undefined || !target.endsWith('.md')) return null;
  return readAnchors(readPage(target)).has(anchor) ? null : `${page}: ${link}: no such heading`;
}

describe('links of the documents', () => {
  test('every link leads to a file and a heading', () => {
    const links = PAGES.flatMap((page) =>
      readLinks(readPage(page)).map((link) => ({ page, link })),
    );
    assert.ok(links.length > 100, `only ${links.length} links were found`);
    assert.deepEqual(
      links.flatMap(({ page, link }) => findFault(page, link) ?? []),
      [],
    );
  });

  test('every file that a page names in code exists', () => {
    const named = PAGES.filter((page) => !page.includes('decisions/') && page !== 'CHANGELOG.md')
      .flatMap((page) => {
        const names = withoutCode(readPage(page)).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.[jt]sx?)`/g);
        return Array.from(names, ([, name = '']) => ({ page, name }));
      })
      .filter(({ name }) => !name.startsWith('node_modules/'));
    assert.ok(named.length > 20, `only ${named.length} names were found`);
    assert.deepEqual(
      named.filter(({ name }) =>
        ['', 'src'].every((folder) => !fs.existsSync(path.join(ROOT, folder, name))),
      ),
      [],
    );
  });

  test('every log event that a page names is in the code', () => {
    const code = fs
      .globSync('src/**/*.ts', { cwd: ROOT })
      .map((file) => fs.readFileSync(path.join(ROOT, file), 'utf8'))
      .join('\n');
    const events = PAGES.filter((page) => page.startsWith('docs/')).flatMap((page) => {
      const names = readPage(page).matchAll(/`([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)+)`/g);
      return Array.from(names, ([, name = '']) => ({ page, name }));
    });
    assert.ok(events.length > 10, `only ${events.length} events were found`);
    assert.deepEqual(
      events.filter(({ name }) => !code.includes(`'${name}'`)),
      [],
    );
  });

  test('every page of docs is linked from docs/README.md or a page that it links', () => {
    const seen = new Set(['README.md']);
    for (const page of seen) {
      for (const link of readLinks(readPage(page))) {
        const target = path.join(path.dirname(page), link.split('#')[0] ?? '');
        if (target.endsWith('.md') && fs.existsSync(path.join(ROOT, target))) seen.add(target);
      }
    }
    assert.deepEqual(
      PAGES.filter((page) => page.startsWith('docs/') && !seen.has(page)),
      [],
    );
  });
});
