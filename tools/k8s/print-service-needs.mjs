/** Prints `serviceNeeds` as JSON. Argument: the variables that are set, as JSON. */
import { DEFAULT_GRACE_MS } from '@candor/runtime';
import { gatewayConfigSchema } from '../../apps/gateway/dist/config.js';
import { longestRequestMs } from '../../apps/gateway/dist/longest-request.js';
import { COPIES_OF_AN_UPLOAD } from '../../apps/gateway/dist/uploads/uploads-environment.js';
import { LONGEST_QUESTION_MS } from '../../apps/synthesis/dist/start-synthesis.js';

const set = JSON.parse(process.argv[2] ?? '{}');
const read = (name) => gatewayConfigSchema.shape[name].parse(set[name]);
const gateway = longestRequestMs({
  SEARCH_DEADLINE_MS: read('SEARCH_DEADLINE_MS'),
  REASON_DEADLINE_MS: read('REASON_DEADLINE_MS'),
});
console.log(
  JSON.stringify({
    drainMs: {
      gateway,
      synthesis: LONGEST_QUESTION_MS,
      retrieval: DEFAULT_GRACE_MS,
      'ingestion-worker': DEFAULT_GRACE_MS,
    },
    uploadMib: COPIES_OF_AN_UPLOAD * read('UPLOADS_IN_FLIGHT_MIB'),
  }),
);
