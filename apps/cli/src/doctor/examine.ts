import { ApiError, createCandorClient, DeadlineError, type CandorClient } from '@candor/client';
import { AppError } from '@candor/contracts';
import { readConnection, type Connection, type Environment } from '../config.js';
import type { Finding } from './finding.js';
import { isSupportedNode } from './is-supported-node.js';
import { LOOKS, type Look, type LookOptions } from './looks.js';
import { mendCheck } from './mend-checks.js';
import { mendError } from './mend-errors.js';

const DEADLINE_MS = 10_000;

/** From the nearest thing to the farthest; what can't be told since something before it is broken is skipped. */
export async function* examine(
  environment: Environment,
  options: LookOptions & { url?: string | undefined },
  nodeVersion: string,
): AsyncGenerator<Finding> {
  yield examineNode(nodeVersion);
  let connection: Connection;
  try {
    connection = readConnection(environment, options);
    yield examineKeyForm(connection);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    yield {
      what: 'settings',
      state: 'broken',
      message: error.message,
      mend: String(error.details?.['mend']),
    };
    return;
  }
  const isThere = yield* examineGateway(connection.url);
  if (!isThere) return;
  const client = createCandorClient({ ...connection, deadlineMs: DEADLINE_MS, retries: { limit: 0 } });
  const permissions = yield* examineKey(client);
  if (!permissions) return;
  yield await examineMcp(connection);
  for (const look of LOOKS) {
    const { what, actions } = look;
    const missing = permissions.includes('admin') ? [] : actions.filter((action) => !permissions.includes(action));
    if (missing.length === 0) yield await take(look, client, options);
    else yield { what, state: 'skipped', message: `The key does not have the action ${missing.join(' and ')}.` };
  }
}

function examineNode(version: string): Finding {
  if (isSupportedNode(version)) return { what: 'node', state: 'ok', message: `Node ${version}` };
  return {
    what: 'node',
    state: 'broken',
    message: `Candor does not run on Node ${version}.`,
    mend: 'Install Node 22.12 or newer, or 20.19 or newer in 20.x.',
  };
}

function examineKeyForm({ apiKey }: Connection): Finding {
  if (/^gm_[A-Za-z0-9]{8,64}_[A-Za-z0-9]{16,128}$/.test(apiKey))
    return { what: 'settings', state: 'ok', message: 'Address and key are set.' };
  return {
    what: 'settings',
    state: 'broken',
    message: 'The key does not look like one of Candor.',
    mend: 'It begins with gm_ and has two parts; copy it whole, without quotes.',
  };
}

async function* examineGateway(url: string): AsyncGenerator<Finding, boolean> {
  let response: Response;
  try {
    response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch {
    const mend = 'Start it (npm start), or set CANDOR_URL to its address; a proxy or firewall may be in between.';
    yield { what: 'gateway', state: 'broken', message: `Nothing answers at ${url}.`, mend };
    return false;
  }
  const body = (await response.json().catch(() => null)) as { checks?: Record<string, string> } | null;
  if (!body?.checks) {
    const mend = 'Set CANDOR_URL to the address of the gateway, without a path.';
    yield { what: 'gateway', state: 'broken', message: `What answers at ${url} is no Candor gateway.`, mend };
    return false;
  }
  yield response.ok
    ? { what: 'gateway', state: 'ok', message: `The gateway at ${url} is ready.` }
    : {
        what: 'gateway',
        state: 'broken',
        message: `The gateway at ${url} is not ready.`,
        mend: 'See the checks below.',
      };
  for (const [name, state] of Object.entries(body.checks))
    yield state === 'ok'
      ? { what: name, state: 'ok', message: 'It answers.' }
      : { what: name, state: 'broken', message: 'The gateway cannot use it.', mend: mendCheck(name) };
  return true;
}

/** What the key may do; null when it may not even ask. */
async function* examineKey(client: CandorClient): AsyncGenerator<Finding, readonly string[] | null> {
  try {
    const { data } = await client.caller();
    yield { what: 'key', state: 'ok', message: `“${data.name}” may ${describePermissions(data.permissions)}.` };
    return data.permissions;
  } catch (error) {
    const mend =
      error instanceof ApiError && error.status === 401
        ? 'Ask whoever manages the keys for a new one: it is unknown, expired or revoked.'
        : 'Mend what is broken above first.';
    yield { what: 'key', state: 'broken', message: describe(error), mend };
    return null;
  }
}

function describePermissions(permissions: readonly string[]): string {
  if (permissions.includes('admin')) return 'do everything';
  return permissions.length === 0 ? 'do nothing' : `use ${permissions.join(', ')}`;
}

async function examineMcp({ url, apiKey }: Connection): Promise<Finding> {
  const mend = 'Let the proxy in front pass /mcp on, with its Authorization and without buffering.';
  try {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (response.ok && (await response.text()).includes('"result"'))
      return { what: 'mcp', state: 'ok', message: `MCP answers at ${url}/mcp.` };
    return { what: 'mcp', state: 'broken', message: `MCP answers ${response.status}.`, mend };
  } catch {
    return { what: 'mcp', state: 'broken', message: 'MCP does not answer.', mend };
  }
}

async function take({ what, look, mendDeadline }: Look, client: CandorClient, options: LookOptions): Promise<Finding> {
  try {
    return { what, ...(await look(client, options)) };
  } catch (error) {
    const mend = (isDeadline(error) ? mendDeadline : undefined) ?? mendError(error);
    return { what, state: 'broken', message: describe(error), mend };
  }
}

function isDeadline(error: unknown): boolean {
  return error instanceof DeadlineError || (error instanceof ApiError && error.type === 'DEADLINE.EXCEEDED');
}

function describe(error: unknown): string {
  if (error instanceof ApiError) return `${error.message}${error.type === null ? '' : ` (${error.type})`}`;
  return error instanceof Error ? error.message : String(error);
}
