import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VERSION } from '#config/version';
import { listPackages } from './licences.ts';
import { writeSbom } from './sbom.ts';

describe('the SBOM', () => {
  test('the SBOM lists shipped packages with licence and hash, and no build tools', async () => {
    const text = await writeSbom();
    const sbom = JSON.parse(text) as {
      bomFormat: string;
      metadata: { component: { name: string; version: string } };
      components: { name: string; version: string; purl: string; licenses: unknown[] }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    assert.equal(sbom.bomFormat, 'CycloneDX');
    const { name, version } = sbom.metadata.component;
    assert.deepEqual([name, version], ['belfry', VERSION]);
    const listed = sbom.components.map((each) => `${each.name}@${each.version}`).toSorted();
    const packages = listPackages().map((each) => `${each.name}@${each.version}`);
    assert.deepEqual(listed, [...packages, `node@${process.versions.node}`].toSorted());
    for (const component of sbom.components)
      assert.ok(component.licenses.length > 0, component.name);
    const known = new Set([...listed, `belfry@${VERSION}`]);
    for (const { ref, dependsOn } of sbom.dependencies)
      for (const each of [ref, ...dependsOn]) assert.ok(known.has(each), each);
    assert.equal(await writeSbom(), text, 'the same when it is made again');
  });
});
