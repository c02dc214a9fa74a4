import { describe, expect, it } from 'vitest';
import { createOutput } from './output.ts';

function sink(isTTY = false): { write: (text: string) => void; isTTY: boolean; text: () => string } {
  let written = '';
  return { write: (text) => void (written += text), isTTY, text: () => written };
}

describe('output', () => {
  it('puts results on standard output and everything else on standard error', () => {
    const [out, err] = [sink(), sink()];
    const output = createOutput({ out, err }, false);
    output.progress('starting etcd');
    output.note('ending');
    output.result('it is up', { up: true });
    expect(out.text()).toBe('it is up\n');
    expect(err.text()).toBe('starting etcd\nending\n');
  });

  it('prints one line of JSON where asked to', () => {
    const out = sink();
    createOutput({ out, err: sink() }, true).result('it is up', { up: true });
    expect(out.text()).toBe('{"up":true}\n');
  });

  it('does not fill a log with the seconds of one step', () => {
    const err = sink();
    const output = createOutput({ out: sink(), err }, false);
    output.progress('building etcd (1 of 6), 0 s');
    output.progress('building etcd (1 of 6), 2 s');
    output.progress('building kwok (2 of 6), 3 s');
    expect(err.text()).toBe('building etcd (1 of 6), 0 s\nbuilding kwok (2 of 6), 3 s\n');
  });

  it('keeps progress on one line of a terminal, and clears it for what stays', () => {
    const err = sink(true);
    const output = createOutput({ out: sink(), err }, false);
    output.progress('one');
    output.progress('two');
    output.note('done');
    expect(err.text()).toBe('\r\u001B[2Kone\r\u001B[2Ktwo\r\u001B[2Kdone\n');
  });
});
