export {
  apiActor,
  insertMemory,
  type MemoryConflict,
  modifyMemory,
  removeMemory,
} from "./memories/memory-change-store.ts";
export {
  contentHash,
  listMemories,
  type MemoryRow,
  type MemoryWithContent,
  requireMemory,
  toMemory,
  toMemoryWithContent,
} from "./memories/memory-row-store.ts";
export {
  archiveMemoryStore,
  deleteUnusedMemoryStore,
  getMemoryStore,
  getMemoryStores,
  insertMemoryStore,
  listMemoryStores,
  lockMemoryStore,
  lockMemoryStores,
  type MemoryStoreRow,
  requireMemoryStore,
  requireMemoryStoreForDelete,
  requireMemoryStoreForWrite,
  toMemoryStore,
  updateMemoryStoreRow,
} from "./memories/memory-store-store.ts";
