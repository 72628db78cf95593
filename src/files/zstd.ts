// By their names an older Node would fail while it links, before anything could say why.
import zlib from 'node:zlib'

export const {
  constants,
  createZstdCompress,
  createZstdDecompress,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} = zlib
