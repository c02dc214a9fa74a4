import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:https';

/**
 * A process that answers as the API server did when it was recorded: the list, then the events as fast as they are
 * read. Without this the API server would be measured, which encodes events slower than a client reads them.
 */
const [listFile = '', eventsFile = '', certificate = '', key = ''] = process.argv.slice(2);

const server = createServer(
  { cert: readFileSync(certificate), key: readFileSync(key) },
  (request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'https://localhost');
    response.setHeader('content-type', 'application/json');
    if (searchParams.get('sendInitialEvents') === 'true') {
      // Both clients begin with the same list.
      response.statusCode = 422;
      response.end(JSON.stringify({ kind: 'Status', code: 422, reason: 'Invalid', message: 'not recorded' }));
      return;
    }
    const watch = ['1', 'true'].includes(searchParams.get('watch') ?? '');
    const file = createReadStream(watch ? eventsFile : listFile, { highWaterMark: 256 * 1024 });
    // A watch stays open when its events are through.
    file.pipe(response, { end: !watch });
  },
);

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('disconnect', () => process.exit());
