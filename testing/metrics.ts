import assert from 'node:assert/strict';

export async function readMetrics({ url }: { url: string }): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** The sum of a metric of a process over all labels. */
export async function readMetric(serviceUrl: string, name: string): Promise<number> {
  const metrics = await readMetrics({ url: serviceUrl });
  const found = [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
  assert.ok(found.length > 0, `no figure ${name}`);
  return found.reduce((sum, [, value]) => sum + Number(value), 0);
}
