import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derBitString, derInteger, derObjectIdentifier, derOctetString, derUtcTime } from './der.ts';

describe('DER', () => {
  it.each([
    ['0', [0], '020100'],
    ['127', [0x7f], '02017f'],
    ['128, which needs a zero in front to stay positive', [0x80], '02020080'],
    ['1 with zeros that do not count', [0, 0, 1], '020101'],
  ])('writes the integer %s', (_, bytes, hex) => {
    expect(derInteger(Uint8Array.from(bytes)).toString('hex')).toBe(hex);
  });

  it.each([
    ['2.5.4.3', '0603550403'],
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
    ['1.3.6.1.5.5.7.3.1', '06082b06010505070301'],
  ])('writes the object identifier %s', (dotted, hex) => {
    expect(derObjectIdentifier(dotted).toString('hex')).toBe(hex);
  });

  it('writes times with two digits of the year', () => {
    expect(derUtcTime(new Date('2026-11-21T10:20:30.999Z')).subarray(2).toString()).toBe('261121102030Z');
  });

  it('counts the unused bits of a bit string', () => {
    expect(derBitString(Buffer.of(0x80), 7).toString('hex')).toBe('03020780');
  });

  it('states every length in the shortest form', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 70_000 }).filter((size) => size < 65_536),
        (size) => {
          const value = derOctetString(Buffer.alloc(size));
          const header = value.length - size;
          expect(header).toBe(size < 128 ? 2 : size < 256 ? 3 : 4);
          const stated = header === 2 ? value.readUInt8(1) : value.readUIntBE(2, header - 2);
          expect(stated).toBe(size);
        },
      ),
    );
  });
});
