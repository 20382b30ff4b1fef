import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { startDashboard } from './dashboard.ts';
import { makeFolder } from './guard.ts';
import { eventually } from './process.ts';
import { guardedSpawn } from './spawned.ts';
import { freePort } from './free-port.ts';
import { LONG_WAIT_LIMIT_MS } from './limits.ts';

const FOLDER = path.join(path.dirname(import.meta.dirname), 'docs/monitoring');
const RULES = path.join(FOLDER, 'alerts.yaml');
const README = fs.readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
/** Metrics of Prometheus itself, and of the exporter that README.md names. */
const OF_OTHERS = new Set(['up', 'probe_success', 'probe_ssl_earliest_cert_expiry']);

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

const rules = (
  parse(fs.readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(fs.readFileSync(path.join(FOLDER, 'grafana.json'), 'utf8')) as {
  /** Rows of panels have no queries. */
  panels: { targets?: { expr: string }[] }[];
};
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The metrics in an expression: names that are no function, label or value. */
function figuresIn(expr: string): string[] {
  return expr.match(/\b(?:belfry_\w+|up\b|probe_\w+)/g) ?? [];
}

describe('docs/monitoring', () => {
  let exported: Set<string>;
  before(async () => {
    await using belfry = await startDashboard({ METRICS_MAX_SOURCES: '10', HISTORY_MAX_MB: '100' });
    const text = await (await fetch(`${belfry.url}/metrics`)).text();
    exported = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
  });

  test('alert rules and panels use only metrics that /metrics has', () => {
    const used = [...rules.map(({ expr }) => expr), ...shown].flatMap(figuresIn);
    assert.ok(new Set(used).size > 15);
    const unknown = used
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
      .filter((name) => !exported.has(name) && !OF_OTHERS.has(name));
    assert.deepEqual(unknown, []);
  });

  test('the Grafana dashboard shows every metric of work', () => {
    const all = shown.join(' ');
    const missing = [...exported].filter(
      (name) => !/^belfry_(?:process|nodejs)_/.test(name) && !all.includes(name),
    );
    assert.deepEqual(missing, []);
  });

  test('each alert rule has a unique name, a severity, a summary and a row in README.md', () => {
    const names = rules.map(({ alert }) => alert);
    assert.equal(new Set(names).size, names.length);
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity, /^(?:warning|critical)$/, alert);
      assert.ok(annotations.summary.length > 10, alert);
      assert.ok(README.includes(`\`${alert}\``), alert);
    }
    const explained = README.match(/`Belfry\w+`/g) ?? [];
    for (const name of explained) assert.ok(names.includes(name.slice(1, -1)), name);
  });

  test('a Prometheus evaluates the alert rules on a running service', async (t) => {
    if (spawnSync('prometheus', ['--version']).error) {
      return t.skip('there is no prometheus on this machine');
    }
    await using belfry = await startDashboard();
    const folder = makeFolder();
    const port = await freePort();
    const target = new URL(belfry.url).host;
    const config = `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${RULES}']
scrape_configs: [{ job_name: belfry, static_configs: [{ targets: ['${target}'] }] }]`;
    fs.writeFileSync(path.join(folder, 'prometheus.yaml'), config);
    await using prometheus = guardedSpawn('prometheus', [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    assert.ok(prometheus.pid);
    const ask = async (query: string) => {
      const url = `http://127.0.0.1:${port}/api/v1/${query}`;
      const answer = await fetch(url).catch(() => null);
      return answer?.ok ? ((await answer.json()) as { data: unknown }).data : null;
    };
    await eventually(
      async () => JSON.stringify(await ask('query?query=belfry_ready')).includes('"1"'),
      { withinMs: LONG_WAIT_LIMIT_MS },
    );
    const evaluated = JSON.stringify(await ask('rules'));
    assert.doesNotMatch(evaluated, /"health":"err"/);
    assert.equal(evaluated.match(/"type":"alerting"/g)?.length, rules.length);
  });
});
