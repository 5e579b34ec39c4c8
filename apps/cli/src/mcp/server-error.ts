/** First of the range that JSON-RPC leaves to servers. */
export const SERVER_ERROR = -32000;
