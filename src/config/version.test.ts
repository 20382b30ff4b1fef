import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder } from '#testing/guard';
import { describeVersion, readHead, VERSION } from './version.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** A folder with these files, by their paths. */
function folderWith(files: Record<string, string>): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

describe('the commit of a checkout', () => {
  const HEAD = 'ref: refs/heads/main\n';

  test('the commit of a checkout is read from its branch', () => {
    const git = folderWith({ HEAD, 'refs/heads/main': `${COMMIT}\n` });
    assert.equal(readHead(git), COMMIT);
  });

  test('the commit of a checkout is read from packed branches', () => {
    const packed = `# pack-refs with: peeled\nff00 refs/heads/other\n${COMMIT} refs/heads/main\n`;
    assert.equal(readHead(folderWith({ HEAD, 'packed-refs': packed })), COMMIT);
  });

  test('the commit of a checkout is read from a detached HEAD', () => {
    assert.equal(readHead(folderWith({ HEAD: `${COMMIT}\n` })), COMMIT);
  });

  test('the commit of a checkout is read in a worktree', () => {
    const folder = folderWith({
      'tree/.git': 'gitdir: ../main/worktrees/tree\n',
      'main/worktrees/tree/HEAD': HEAD,
      'main/worktrees/tree/commondir': '../..\n',
      'main/refs/heads/main': COMMIT,
    });
    assert.equal(readHead(path.join(folder, 'tree/.git')), COMMIT);
  });

  test('the commit of a checkout is unknown without git', () => {
    assert.equal(readHead(path.join(makeFolder(), '.git')), null);
    assert.equal(readHead(folderWith({ HEAD })), null);
  });
});

test('the version names a commit if there is one', () => {
  assert.equal(describeVersion(null), VERSION);
  assert.equal(describeVersion(COMMIT), `${VERSION} (commit 0123456789ab)`);
});
