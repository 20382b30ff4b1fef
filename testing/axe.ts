import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

/** Every rule is looked at; describing each place that one of them finds right takes most of the time. */
const RUN = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)";

/** What axe-core finds wrong with the page as it stands that keeps people out: one line each, mostly none. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  const violations = await page.evaluate<Violation[]>(RUN);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
