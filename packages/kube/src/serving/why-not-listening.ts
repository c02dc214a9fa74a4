/** Why a server cannot listen on its address, in words for the person who chose the address. */
export function whyNotListening(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'another process listens there';
  if (error.code === 'EACCES') return 'ports below 1024 need a privilege';
  return error.message;
}
