import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import {
  AppError,
  invalidField,
  type Calibration,
  type CreateCalibrationBody,
  type listCalibrationsRoute,
  type QueryOf,
  type ResponseOf,
} from '@candor/contracts';
import {
  corpusFingerprintOf,
  Database,
  findGeneration,
  findLiveGeneration,
  findNewestCalibration,
  listCalibrations,
  listLabelledQueries,
  saveCalibration,
  type GenerationEntity,
} from '@candor/persistence';
import { calibrate, calibrationSchema, trustedResultSchema } from '@candor/reasoning';
import { requireRequestContext } from '@candor/runtime';
import { requireCaller } from '../../access/caller.js';
import { RequestTransaction } from '../../request/request-transaction.service.js';
import { RetrievalGatewayService } from '../../upstream/retrieval-gateway.service.js';
import { collectQueries, digestQueries, type LabelledQuery } from './collect-queries.js';
import { toCalibration, toCalibrationStatus } from './to-calibration.js';

const AT_ONCE = 4;
/** Hits looked at: the best score is among the first by fusion, not always the first. */
const HITS = 20;
const MOST_FROM_FEEDBACK = 1_000;

@Injectable()
export class CalibrationsService {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestTransaction,
    private readonly retrieval: RetrievalGatewayService,
  ) {}

  async list(query: QueryOf<typeof listCalibrationsRoute>): Promise<ResponseOf<typeof listCalibrationsRoute>> {
    const { tenantId } = requireCaller().scope;
    return this.database.read(async (manager) => {
      const live = await findLiveGeneration(manager, tenantId);
      const page = await listCalibrations(manager, tenantId, query);
      const newest = live && (await findNewestCalibration(manager, tenantId, live.id));
      return {
        data: page.rows.map(({ document }) => toCalibration(calibrationSchema.parse(document), live)),
        pagination: { cursor: page.cursor, hasMore: page.hasMore },
        current: toCalibrationStatus(newest && calibrationSchema.parse(newest.document), live),
      };
    });
  }

  async create(body: CreateCalibrationBody): Promise<{ data: Calibration }> {
    const { scope, tenant } = requireCaller();
    const { tenantId } = scope;
    // It certifies what everybody in the tenant is answered from; scores of a part of it would say something else.
    if (scope.allowedProviders !== null || scope.principals !== null)
      throw new AppError('AUTH.ACTION_NOT_ALLOWED', {
        message: 'Only a key that sees everything (no allowedProviders, no principals) can calibrate.',
      });
    if (body.includeFeedback && !tenant.auditQueryText)
      throw invalidField('includeFeedback', 'needs the words of rated questions, which this tenant does not keep');
    const live = await this.requireLive(tenantId, body.generationId);
    const labelled = body.includeFeedback
      ? await this.database.read((manager) =>
          listLabelledQueries(manager, tenantId, { limit: MOST_FROM_FEEDBACK, growthBound: body.growthBound }),
        )
      : [];
    const queries = collectQueries(body.queries, labelled);
    const scored = await this.scoreAll(queries, live.id);
    const calibration = calibrate(
      {
        answerable: scored.filter(({ answerable }) => answerable).map(({ score }) => score),
        unanswerable: scored.filter(({ answerable }) => !answerable).map(({ score }) => score),
      },
      {
        tenantId,
        generationId: live.id,
        pipelineFingerprint: live.pipelineFingerprint,
        querySetDigest: digestQueries(queries),
        corpusFingerprint: corpusFingerprintOf(live),
        corpusSize: live.itemCount,
        growthBound: body.growthBound,
        createdAt: new Date().toISOString(),
      },
    );
    return this.requests.run(async (transaction) => {
      const { calibrationId: id, certified, threshold, auc, aucLowerBound, querySetDigest } = calibration;
      await saveCalibration(transaction, tenantId, { id, generationId: live.id, document: calibration });
      const { audit } = requireRequestContext();
      Object.assign(audit, { targetType: 'calibration', targetId: id });
      const facts = { generationId: live.id, certified, threshold, auc, aucLowerBound, querySetDigest };
      Object.assign(audit.metadata, facts, { queries: queries.length, fromFeedback: labelled.length });
      return { data: toCalibration(calibration, live) };
    });
  }

  private async requireLive(tenantId: string, wanted: string | undefined): Promise<GenerationEntity> {
    const { live, named } = await this.database.read(async (manager) => ({
      live: await findLiveGeneration(manager, tenantId),
      named: wanted === undefined ? null : await findGeneration(manager, tenantId, wanted),
    }));
    if (wanted !== undefined && !named)
      throw new AppError('RESOURCE.NOT_FOUND', { message: 'There is no such generation.' });
    if (!live) throw new AppError('RESOURCE.CONFLICT', { message: 'There is no index yet: nothing was ingested.' });
    if (named && named.id !== live.id) throw new AppError('GENERATION.WRONG_STATE');
    return live;
  }

  private scoreAll(
    queries: readonly LabelledQuery[],
    generationId: string,
  ): Promise<{ answerable: boolean; score: number }[]> {
    const turn = pLimit(AT_ONCE);
    return Promise.all(
      queries.map(({ query, answerable }) =>
        turn(async () => ({ answerable, score: await this.score(query, generationId) })),
      ),
    );
  }

  /** Of the best passage that only its score could keep out. */
  private async score(query: string, generationId: string): Promise<number> {
    const reply = await this.retrieval.callQuietly('trustedSearch', { query, knownAsOf: null, limit: HITS });
    const { identity, hits } = trustedResultSchema.parse(reply.result);
    if (identity.generationId !== generationId) throw new AppError('GENERATION.CHANGED');
    const judged = hits.filter(({ verdict }) => verdict === 'ok' || verdict === 'low_confidence');
    return judged.reduce((best, { score }) => Math.max(best, score), 0);
  }
}
