/**
 * The rules for names, label keys and label values. Each function yields what is wrong with a value, in words that
 * follow "must"/"may" so that they can be put behind a field path; an empty list means valid. Source:
 * `k8s.io/apimachinery/pkg/util/validation`, Kubernetes 1.36. Lengths count bytes of UTF-8.
 */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123Label = new RegExp(`^${label}$`);
const dns1123Subdomain = new RegExp(`^${label}(\\.${label})*$`);
const labelText = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Names of namespaces, containers, ports of services, and everything else that becomes one part of a DNS name. */
export function dns1123LabelProblems(value: string): readonly string[] {
  return [
    ...tooLong(value, 63),
    ...unless(
      dns1123Label.test(value),
      "must consist of lower case letters, digits or '-', and start and end with a letter or digit (like 'my-name')",
    ),
  ];
}

/** Names of most objects: labels joined by dots, 253 bytes at most. */
export function dns1123SubdomainProblems(value: string): readonly string[] {
  return [
    ...tooLong(value, 253),
    ...unless(
      dns1123Subdomain.test(value),
      "must consist of lower case letters, digits, '-' or '.', and start and end with a letter or digit (like 'example.com')",
    ),
  ];
}

/** Label values; the empty one is valid. */
export function labelValueProblems(value: string): readonly string[] {
  return [
    ...tooLong(value, 63),
    ...unless(
      value === '' || labelText.test(value),
      "must be empty or consist of letters, digits, '-', '_' or '.', and start and end with a letter or digit (like 'my_value')",
    ),
  ];
}

/** Label and annotation keys, taint keys, resource and condition names: a name, optionally behind `prefix/`. */
export function qualifiedNameProblems(value: string): readonly string[] {
  const parts = value.split('/');
  if (parts.length > 2)
    return ["must be a name with an optional DNS prefix and one '/' (like 'example.com/my-name')"];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [
    ...(prefix === undefined
      ? []
      : prefix === ''
        ? ['prefix must not be empty']
        : dns1123SubdomainProblems(prefix).map((problem) => `prefix ${problem}`)),
    ...(name === ''
      ? ['name must not be empty']
      : [
          ...tooLong(name, 63).map((problem) => `name ${problem}`),
          ...unless(
            labelText.test(name),
            "name must consist of letters, digits, '-', '_' or '.', and start and end with a letter or digit (like 'my.name')",
          ),
        ]),
  ];
}

function tooLong(value: string, bytes: number): readonly string[] {
  return unless(Buffer.byteLength(value) <= bytes, `must be no more than ${bytes} bytes`);
}

function unless(valid: boolean, problem: string): readonly string[] {
  return valid ? [] : [problem];
}
