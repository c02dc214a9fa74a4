import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { root } from '../checks.ts';

/** CycloneDX's own schemas, as its library for JavaScript carries them. */
const folder = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');

const validators = new Map<string, ValidateFunction>();

/** What the official schema of the document's version of CycloneDX says against it; nothing where it is valid. */
export function againstCycloneDx(text: string): readonly string[] {
  const document = JSON.parse(text) as { readonly specVersion: string };
  const { specVersion } = document;
  const validate = validators.get(specVersion) ?? validatorOf(specVersion);
  // Compiling one takes some 0.2 s.
  validators.set(specVersion, validate);
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

function validatorOf(specVersion: string): ValidateFunction {
  // The schemas have keywords of their own (`meta:enum`) and types that depend on others, which are no faults of a document.
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addFormat('iri-reference', ajv.formats['uri-reference'] ?? true);
  ajv.addFormat('idn-email', ajv.formats['email'] ?? true);
  for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  return ajv.compile(read(`bom-${specVersion}`));
}

function read(name: string): object {
  return JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
}
