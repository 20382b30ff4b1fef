import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
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

const HEAD = 'ref: refs/heads/main\n';
const WORKTREE = 'gitdir: ../main/worktrees/tree\n';

for (const [where, git, files] of [
  ['its branch', '.', { HEAD, 'refs/heads/main': `${COMMIT}\n` }],
  [
    'packed branches',
    '.',
    { HEAD, 'packed-refs': `# peeled\nff00 x\n${COMMIT} refs/heads/main\n` },
  ],
  ['a detached HEAD', '.', { HEAD: `${COMMIT}\n` }],
  [
    'a worktree',
    'tree/.git',
    {
      'tree/.git': WORKTREE,
      'main/worktrees/tree/HEAD': HEAD,
      'main/worktrees/tree/commondir': '../..\n',
      'main/refs/heads/main': COMMIT,
    },
  ],
] as const)
  test(`the commit of a checkout is read from ${where}`, () => {
    assert.equal(readHead(path.join(folderWith(files), git)), COMMIT);
  });

test('the commit of a checkout is unknown without git', () => {
  assert.equal(readHead(path.join(makeFolder(), '.git')), null);
  assert.equal(readHead(folderWith({ HEAD })), null);
});

test('the version names a commit if there is one', () => {
  assert.equal(describeVersion(null), VERSION);
  assert.equal(describeVersion(COMMIT), `${VERSION} (commit 0123456789ab)`);
});
