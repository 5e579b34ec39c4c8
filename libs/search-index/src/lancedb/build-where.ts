import { ANYONE, type Provider } from '@candor/contracts';
import { instantToMillis } from '../chunk-filter.js';
import type { ChunkFilter } from '../search-index.port.js';
import { principalGrant, SCOPE_GRANT } from './chunk-row.js';
import { sqlColumn, sqlHasAny, sqlIn, sqlNumber, sqlString } from './sql.js';

/** The caller's filter as one SQL condition; LanceDB applies it before ranking, in both legs. */
export function buildWhere(filter: ChunkFilter): string {
  const conditions = [`${sqlColumn('tenantId')} = ${sqlString(filter.tenantId)}`];
  if (filter.providers) conditions.push(sqlIn('provider', filter.providers satisfies Provider[]));
  if (filter.principals) {
    conditions.push(sqlHasAny('grants', [SCOPE_GRANT, ...[...filter.principals, ANYONE].map(principalGrant)]));
  }
  if (filter.itemIds) conditions.push(sqlIn('itemId', filter.itemIds));
  if (filter.excludeItemIds?.length) conditions.push(`NOT (${sqlIn('itemId', filter.excludeItemIds)})`);
  if (filter.excludeChunkIds?.length) conditions.push(`NOT (${sqlIn('chunkId', filter.excludeChunkIds)})`);
  if (filter.updatedAfter !== undefined) {
    conditions.push(`${sqlColumn('sourceUpdatedAt')} >= ${millis(filter.updatedAfter, 'updatedAfter')}`);
  }
  if (filter.updatedBefore !== undefined) {
    conditions.push(`${sqlColumn('sourceUpdatedAt')} <= ${millis(filter.updatedBefore, 'updatedBefore')}`);
  }
  if (filter.knownAsOf !== undefined) {
    const asOf = millis(filter.knownAsOf, 'knownAsOf');
    const superseded = sqlColumn('supersededAt');
    conditions.push(`${sqlColumn('recordedAt')} <= ${asOf}`, `(${superseded} IS NULL OR ${superseded} > ${asOf})`);
  }
  return conditions.join(' AND ');
}

function millis(instant: string, field: string): string {
  return sqlNumber(instantToMillis(instant, field));
}
