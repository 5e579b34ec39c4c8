import type { NotionClient } from './notion-client.js';
import { asText, isObject, type NotionObject } from './notion-object.js';
import type { BlockNode } from './render-blocks.js';
import { isUnreadable } from '../item-errors.js';

export interface BlockLimits {
  depth: number;
  blocks: number;
}
export const BLOCK_LIMITS: BlockLimits = { depth: 12, blocks: 10_000 };

export interface BlockTree {
  nodes: BlockNode[];
  /** Blocks with children that were not read: too deep, too many, or not shared with us. */
  left: number;
}

/** They are items of their own. */
const OWN_ITEMS = new Set(['child_page', 'child_database']);

/** All blocks of a page, nested ones too, within bounds: a request for each block that has children. */
export async function readBlockTree(
  client: Pick<NotionClient, 'listChildren'>,
  pageId: string,
  limits: BlockLimits = BLOCK_LIMITS,
): Promise<BlockTree> {
  let budget = limits.blocks;
  let left = 0;
  const read = async (parentId: string, depth: number): Promise<BlockNode[]> => {
    const blocks = await client.listChildren(parentId, budget + 1);
    if (blocks.length > budget) left += 1;
    const kept = blocks.slice(0, budget);
    budget -= kept.length;
    const nodes: BlockNode[] = [];
    for (const block of kept) nodes.push({ block, children: await readChildren(block, depth) });
    return nodes;
  };
  const readChildren = async (block: NotionObject, depth: number): Promise<BlockNode[]> => {
    const source = findChildren(block);
    if (source === null) return [];
    if (depth >= limits.depth || budget <= 0) {
      left += 1;
      return [];
    }
    try {
      return await read(source, depth + 1);
    } catch (error) {
      // A synced block's original may lie in a page that isn't shared; a block may vanish meanwhile.
      if (!isUnreadable(error, ['object_not_found', 'restricted_resource'])) throw error;
      left += 1;
      return [];
    }
  };
  return { nodes: await read(pageId, 1), left };
}

/** The id under which a block's children are listed; null when it has none of its own. */
function findChildren(block: NotionObject): string | null {
  const type = asText(block['type']);
  if (block['has_children'] !== true || OWN_ITEMS.has(type)) return null;
  const synced = isObject(block['synced_block']) ? block['synced_block']['synced_from'] : null;
  return (isObject(synced) && asText(synced['block_id'])) || asText(block['id']) || null;
}
