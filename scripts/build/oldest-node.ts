/** The oldest Node that runs a bundle: 22.2 lacks what the HTTP client is loaded with. */
export const oldestNode = '22.3';
