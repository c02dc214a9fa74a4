/** The few DER values (ITU-T X.690) that a certificate is made of. */

export function derSequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

export function derSet(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

/** A non-negative integer given by its big-endian bytes. */
export function derInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const magnitude = Buffer.from(bytes.subarray(start));
  const negative = ((magnitude[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, negative ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude);
}

export function derBoolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.of(value ? 0xff : 0x00));
}

/** An object identifier in dotted form, for example `2.5.4.3`. */
export function derObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128))
      groups.unshift((high & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

export function derUtf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

export function derOctetString(content: Buffer): Buffer {
  return tagged(0x04, content);
}

/** A bit string; `unused` is the number of meaningless bits at its end. */
export function derBitString(content: Buffer, unused = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.of(unused), content]));
}

/** Valid for the years 2000 to 2049, as UTCTime is. */
export function derUtcTime(time: Date): Buffer {
  const digits = time
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  return tagged(0x17, Buffer.from(digits.slice(2), 'ascii'));
}

/** `[number]` EXPLICIT. */
export function derExplicit(number: number, content: Buffer): Buffer {
  return tagged(0xa0 | number, content);
}

/** `[number]` IMPLICIT of a primitive value. */
export function derImplicit(number: number, content: Buffer): Buffer {
  return tagged(0x80 | number, content);
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.of(size);
  if (size < 0x100) return Buffer.of(0x81, size);
  return Buffer.of(0x82, size >> 8, size & 0xff);
}
