/** As many as the operator's executor has under way. */
export const requestsInFlight = 16;
