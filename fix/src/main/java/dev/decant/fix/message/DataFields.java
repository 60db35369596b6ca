package dev.decant.fix.message;

import java.util.Arrays;

/**
 * Which fields hold data, bytes that may include the delimiter, and which field before each says how many. Immutable.
 */
public final class DataFields {
  /** Length fields and the data fields that follow them, in all versions together. */
  private static final int[][] STANDARD = {{90, 91}, {93, 89}, {95, 96}, {212, 213}, {348, 349}, {350, 351},
      {352, 353}, {354, 355}, {356, 357}, {358, 359}, {360, 361}, {362, 363}, {364, 365}, {445, 446}, {618, 619},
      {621, 622}, {1184, 1185}, {1277, 1278}, {1280, 1281}, {1282, 1283}, {1397, 1398}, {1401, 1402}, {1403, 1404},
      {1405, 1406}, {1468, 1469}, {1525, 1527}, {1578, 1579}, {1619, 1620}, {1621, 1622}, {1664, 1665}, {1678, 1697},
      {1733, 1734}, {1777, 1778}, {1871, 1872}};
  private static final DataFields STANDARD_FIELDS = of(STANDARD);
  private static final int DIRECT = 2_048;

  /** By tag of the length field, 0 where it is none. */
  private final int[] dataTags = new int[DIRECT];
  /** Beyond the direct table: ascending. */
  private final int[] farLengthTags;
  private final int[] farDataTags;

  private DataFields(int[][] pairs) {
    int[][] far = Arrays.stream(pairs).filter(pair -> pair[0] >= DIRECT)
        .sorted((a, b) -> Integer.compare(a[0], b[0])).toArray(int[][]::new);
    for (int[] pair : pairs) {
      if (pair[0] < DIRECT) {
        dataTags[pair[0]] = pair[1];
      }
    }
    farLengthTags = Arrays.stream(far).mapToInt(pair -> pair[0]).toArray();
    farDataTags = Arrays.stream(far).mapToInt(pair -> pair[1]).toArray();
  }

  /**
   * The fields of the specification.
   *
   * @return a shared instance
   */
  public static DataFields standard() {
    return STANDARD_FIELDS;
  }

  /**
   * Fields of a dictionary.
   *
   * @param pairs each a length field's tag and its data field's
   * @return the fields
   */
  public static DataFields of(int[][] pairs) {
    for (int[] pair : pairs) {
      if (pair.length != 2 || pair[0] <= 0 || pair[1] <= 0) {
        throw new IllegalArgumentException("a pair of tags is " + Arrays.toString(pair));
      }
    }
    return new DataFields(pairs);
  }

  /**
   * These fields and those of the specification.
   *
   * @param pairs each a length field's tag and its data field's
   * @return the fields
   */
  public static DataFields standardWith(int[][] pairs) {
    int[][] all = Arrays.copyOf(STANDARD, STANDARD.length + pairs.length);
    System.arraycopy(pairs, 0, all, STANDARD.length, pairs.length);
    return of(all);
  }

  /**
   * The data field that a length field announces.
   *
   * @param lengthTag any tag
   * @return its tag; 0 if the field announces none
   */
  public int dataTag(int lengthTag) {
    if (lengthTag < DIRECT) {
      return lengthTag < 0 ? 0 : dataTags[lengthTag];
    }
    int at = farLengthTags.length == 0 ? -1 : Arrays.binarySearch(farLengthTags, lengthTag);
    return at < 0 ? 0 : farDataTags[at];
  }
}
