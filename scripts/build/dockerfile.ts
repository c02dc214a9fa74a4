/** What a Dockerfile of `deploy/images` makes of its base image. Instructions that none of them needs are refused. */
export interface Image {
  /** With the default of its argument. */
  readonly base: string;
  readonly labels: Readonly<Record<string, string>>;
  /** In order; the last path of the instruction is where the others go. */
  readonly copies: readonly { readonly from: readonly string[]; readonly to: string }[];
  readonly user: string | undefined;
  readonly ports: readonly string[];
  readonly entrypoint: readonly string[];
}

export function imageOf(dockerfile: string): Image {
  const image = {
    base: '',
    labels: {} as Record<string, string>,
    copies: [] as { from: string[]; to: string }[],
    user: undefined as string | undefined,
    ports: [] as string[],
    entrypoint: [] as string[],
  };
  const defaults: Record<string, string> = {};
  for (const line of instructions(dockerfile)) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    switch (name) {
      case 'ARG': {
        const [argument = '', value = ''] = rest.split('=');
        defaults[argument] = value;
        break;
      }
      case 'FROM':
        image.base = rest.replace(/\$\{(\w+)\}/g, (_, argument: string) => defaults[argument] ?? '');
        break;
      case 'LABEL':
        for (const [, key = '', value = ''] of rest.matchAll(/(\S+?)="(.*?)"/g)) image.labels[key] = value;
        break;
      case 'COPY': {
        const paths = rest.split(/\s+/);
        image.copies.push({ from: paths.slice(0, -1), to: paths.at(-1) ?? '' });
        break;
      }
      case 'USER':
        image.user = rest;
        break;
      case 'EXPOSE':
        image.ports.push(...rest.split(/\s+/));
        break;
      case 'ENTRYPOINT':
        image.entrypoint = JSON.parse(rest) as string[];
        break;
      default:
        throw new Error(`"${line}": an image of Atoll only copies files onto its base`);
    }
  }
  return image;
}

function instructions(dockerfile: string): readonly string[] {
  const lines = dockerfile.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
}
