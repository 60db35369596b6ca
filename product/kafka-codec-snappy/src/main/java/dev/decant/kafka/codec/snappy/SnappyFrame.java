package dev.decant.kafka.codec.snappy;

/**
 * The framing of snappy-java's streams, which Kafka has taken over. All integers are big endian.
 *
 * <pre>
 *   0                             8         12                    16
 *   | 82 'S' 'N' 'A' 'P' 'P' 'Y' 0 | version | compatible version | length | block | length | block ...
 *
 *   block: | bytes when decompressed, varint | elements ... |
 * </pre>
 */
final class SnappyFrame {
  static final long MAGIC = 0x82_53_4e_41_50_50_59_00L;
  /** Where the length of a block should be: another stream begins. */
  static final int MAGIC_BEGIN = (int) (MAGIC >>> 32);
  static final int VERSION = 1;
  static final int HEAD_BYTES = 16;
  static final int BLOCK_BYTES = 32 * 1024;

  private SnappyFrame() {}
}
