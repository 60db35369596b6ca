package dev.decant.fix.message;

/** The tags of the standard header and trailer, of all versions together. */
public final class StandardHeader {
  private static final int[] HEADER = {8, 9, 34, 35, 43, 49, 50, 52, 56, 57, 90, 91, 97, 115, 116, 122, 128, 129, 142,
      143, 144, 145, 212, 213, 347, 369, 370, 627, 628, 629, 630, 1128, 1129, 1156};
  private static final int BITS = 1_200;
  private static final long[] IS_HEADER = new long[(BITS >> 6) + 1];

  static {
    for (int tag : HEADER) {
      IS_HEADER[tag >> 6] |= 1L << tag;
    }
  }

  private StandardHeader() {}

  /**
   * Returns true if a field belongs to the header.
   *
   * @param tag any number
   * @return true for a tag of the standard header
   */
  public static boolean contains(int tag) {
    return tag > 0 && tag < BITS && (IS_HEADER[tag >> 6] & 1L << tag) != 0;
  }

  /**
   * Returns true if a field belongs to the trailer.
   *
   * @param tag any number
   * @return true for CheckSum(10), Signature(89) and SignatureLength(93)
   */
  public static boolean isTrailer(int tag) {
    return tag == Tag.CHECK_SUM || tag == Tag.SIGNATURE || tag == Tag.SIGNATURE_LENGTH;
  }
}
