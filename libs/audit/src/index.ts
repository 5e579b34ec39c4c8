export { auditEnvironment, createAuditSigner } from './audit-environment.js';
export * from './audit-trail.js';
export * from './chain.js';
export { eraseTexts, type TextErasure } from './erase-texts.js';
export { exportChain } from './export-chain.js';
export { readChain, toHead, verifyChain } from './read-chain.js';
export { announceSigner, EVENTS_A_BATCH, sealNextBatch } from './seal-audit.js';
