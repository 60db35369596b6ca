package dev.decant.kafka.codec.lz4;

/**
 * The frame format of LZ4 (lz4 repository, doc/lz4_Frame_format.md). All integers have their low byte first.
 *
 * <pre>
 *   | magic 4 | flags 1 | block size 1 | content size 0 or 8 | dictionary 0 or 4 | head checksum 1 |
 *   | size 4 | block | block checksum 0 or 4 | ... | 0 4 | content checksum 0 or 4 |
 *
 *   flags:       7 6       5                   4               3             2                 1    0
 *                version 1 independent blocks  block checksum  content size  content checksum  0    dictionary
 *   block size:  bits 6 to 4: 4 for 64 KiB, 5 for 256 KiB, 6 for 1 MiB, 7 for 4 MiB
 * </pre>
 */
final class Lz4Frame {
  static final int MAGIC = 0x184D_2204;
  /** Frames to be passed over have one of 16 magic numbers. */
  static final int SKIPPABLE_MAGIC = 0x184D_2A50;
  static final int SKIPPABLE_MASK = ~0xf;
  static final int HEAD_BYTES = 7;

  static final int VERSION_MASK = 0xc0;
  static final int VERSION = 0x40;
  static final int INDEPENDENT_BLOCKS = 0x20;
  static final int BLOCK_CHECKSUM = 0x10;
  static final int CONTENT_SIZE = 0x08;
  static final int CONTENT_CHECKSUM = 0x04;
  static final int RESERVED = 0x02;
  static final int DICTIONARY = 0x01;

  static final int SIZE_SHIFT = 4;
  static final int SIZE_MASK = 0x70;
  static final int SMALLEST_SIZE = 4;

  /** In the size of a block: it is not compressed. */
  static final int PLAIN_BLOCK = 1 << 31;

  private Lz4Frame() {}

  /** Bytes of the largest block, by its number from 4 on. */
  static int blockBytes(int size) {
    return 1 << (8 + 2 * size);
  }
}
