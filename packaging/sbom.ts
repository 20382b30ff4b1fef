import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { VERSION } from '#config/version';
import { listPackages } from './licences.ts';
import { ROOT } from './places.ts';

const run = promisify(execFile);

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  scope?: string;
  properties?: unknown;
}
interface Sbom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const BELFRY = `belfry@${VERSION}`;
const NODE = `node@${process.versions.node}`;

/**
 * CycloneDX: npm's list without build and test packages, plus the executable's Node. Reproducible: without serial
 * number and timestamp.
 */
export async function writeSbom(): Promise<string> {
  // Without dev packages, npm also leaves out the shipped packages that they need.
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--include=dev'];
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const sbom = JSON.parse(stdout) as Sbom;
  const packages = new Set(listPackages().map(({ name, version }) => `${name}@${version}`));
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  // npm names it after its folder.
  sbom.metadata.component = { ...sbom.metadata.component, 'bom-ref': BELFRY, name: 'belfry' };
  sbom.components = sbom.components.filter((component) => packages.has(component['bom-ref']));
  for (const component of sbom.components) {
    // Packages in the dashboard's bundle are included.
    component.scope = 'required';
    delete component.properties;
  }
  sbom.components.push(describeNode());
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => ref === BELFRY || packages.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => packages.has(each)),
    }));
  sbom.dependencies.find(({ ref }) => ref === BELFRY)?.dependsOn?.push(NODE);
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function describeNode() {
  const { node } = process.versions;
  return {
    'bom-ref': NODE,
    type: 'platform',
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
    externalReferences: [{ type: 'website', url: 'https://nodejs.org/' }],
    licenses: [{ license: { id: 'MIT' } }],
  };
}

export const SBOM_NAME = `${path.basename(BELFRY).replace('@', '-')}.cdx.json`;
