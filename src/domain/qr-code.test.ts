import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { encodeQr } from './qr-code.ts';

const draw = (text: string) =>
  encodeQr(text)?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''));

/** The code as other encoders draw it, module by module. */
const BELFRY = `
#######.#####.#######
#.....#.##.##.#.....#
#.###.#..###..#.###.#
#.###.#..#.##.#.###.#
#.###.#.#...#.#.###.#
#.....#.#.#...#.....#
#######.#.#.#.#######
........####.........
###..##.#########..##
..##...###.......#..#
#.###.#.#.#...#...#.#
.#.#.....#..#...##..#
##########....#..#.##
........#.##.##..##.#
#######..#.###.####.#
#.....#.####.###.#..#
#.###.#....#####.#..#
#.###.#...#....###...
#.###.#.###...#.##.##
#.....#.##..#...##...
#######.###...###...#`;

describe('a QR code', () => {
  test('is drawn as other encoders draw it', () => {
    assert.deepEqual(draw('belfry'), BELFRY.trim().split('\n'));
  });

  // Compared with the encoder uqr 0.1.3, which drew the same for 122 lengths up to 850 characters.
  for (const [letters, size, hash] of [
    [3, 33, '8a3e223d22ecfb6b'],
    [120, 49, '512d737ef88f48e7'],
    [300, 69, '68b0b5271d633db0'],
  ] as const) {
    test(`of ${size} modules holds the key of an authenticator`, () => {
      const name = 'a'.repeat(letters);
      const uri = `otpauth://totp/Belfry:${name}@bells.test?secret=JBSWY3DPEHPK3PXP&issuer=Belfry`;
      const rows = draw(uri) ?? [];
      assert.equal(rows.length, size);
      const drawn = createHash('sha256').update(rows.join('\n')).digest('hex');
      assert.equal(drawn.slice(0, 16), hash);
    });
  }

  test('is none of a text that is too long for it', () => {
    assert.equal(encodeQr('x'.repeat(858))?.length, 97);
    assert.equal(encodeQr('x'.repeat(859)), null);
  });
});
