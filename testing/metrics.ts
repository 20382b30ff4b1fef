import assert from 'node:assert/strict';

/** The sum of a metric of a process over all labels. */
export async function readMetric(serviceUrl: string, name: string): Promise<number> {
  const metrics = await (await fetch(`${serviceUrl}/metrics`)).text();
  const found = [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
  assert.ok(found.length > 0, `no figure ${name}`);
  return found.reduce((sum, [, value]) => sum + Number(value), 0);
}
