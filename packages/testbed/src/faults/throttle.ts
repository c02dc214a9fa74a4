import { Transform } from 'node:stream';

/** Passes bytes on at a limited rate, in slices of a tenth of a second. */
export function throttle(bytesPerSecond: number): Transform {
  const slice = Math.max(1, Math.floor(bytesPerSecond / 10));
  let timer: NodeJS.Timeout | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let offset = 0;
      const pass = (): void => {
        this.push(chunk.subarray(offset, offset + slice));
        offset += slice;
        timer = offset < chunk.length ? setTimeout(pass, 100) : setTimeout(done, 100);
      };
      pass();
    },
    destroy(error, done) {
      clearTimeout(timer);
      done(error);
    },
  });
}
