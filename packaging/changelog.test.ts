import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSection, releaseChangelog, writeNotes } from './changelog.ts';

const BEFORE =
  '# Changelog\n\n## Unreleased\n\n- Bells ring.\n\n## 0.1.0 (2026-01-01)\n\n- Bells.\n';

describe('the changelog of a release', () => {
  test('a release moves the unreleased entries under its version', () => {
    const after = releaseChangelog(BEFORE, '0.2.0', '2026-02-03');
    assert.equal(
      after,
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- Bells ring.\n\n## 0.1.0 (2026-01-01)\n\n- Bells.\n',
    );
    assert.equal(readSection(after, '0.2.0'), '- Bells ring.');
    assert.equal(readSection(after, 'Unreleased'), '');
  });

  test('a release with nothing under Unreleased is rejected', () => {
    const empty = releaseChangelog(BEFORE, '0.2.0', '2026-02-03');
    assert.throws(() => releaseChangelog(empty, '0.3.0', '2026-02-04'), /nothing under Unreleased/);
  });

  test('the notes of a release keep links to the web only, because they are read without the docs', () => {
    const text =
      '## 0.1.0 (2026-01-01)\n\n- Bells ([rules](docs/rules.md#2)), as on [the web](https://bells.example).\n';
    assert.equal(
      writeNotes(text, '0.1.0'),
      '- Bells (rules), as on [the web](https://bells.example).\n',
    );
  });

  test('the notes of a version that is not released are the unreleased entries', () => {
    assert.equal(writeNotes(BEFORE, '0.2.0'), '- Bells ring.\n');
  });

  test('a version is found by its whole name', () => {
    assert.equal(readSection(BEFORE, '0.1'), '');
    assert.equal(readSection(BEFORE, '0.1.0'), '- Bells.');
  });
});
