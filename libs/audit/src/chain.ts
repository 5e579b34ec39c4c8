export { AuditSigner, signatureHolds, type PublicKeys } from './chain/audit-keys.js';
export { canonicalJson } from './chain/canonical-json.js';
export { NO_DIGEST } from './chain/chain-model.js';
export { digestEvent, digestHead, digestLeaves, wasErased } from './chain/digests.js';
export { sealBatch } from './chain/seal-batch.js';
export { ChainWalk, type ChainWalkOptions } from './chain/verify-chain.js';
export { verifyExport, type ExportVerification, type VerifyExportOptions } from './chain/verify-export.js';
