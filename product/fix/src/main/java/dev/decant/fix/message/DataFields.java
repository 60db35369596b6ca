package dev.decant.fix.message;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The data fields, whose bytes may include the delimiter, and the field with the length before each. Immutable. */
public final class DataFields {
  /** Length fields and the data fields that follow them, of all versions up to FIX Latest. */
  private static final int[][] STANDARD = {{90, 91}, {93, 89}, {95, 96}, {212, 213}, {348, 349}, {350, 351}, {352, 353},
      {354, 355}, {356, 357}, {358, 359}, {360, 361}, {362, 363}, {364, 365}, {445, 446}, {618, 619}, {621, 622},
      {1184, 1185}, {1277, 1278}, {1280, 1281}, {1282, 1283}, {1397, 1398}, {1401, 1402}, {1403, 1404}, {1468, 1469},
      {1525, 1527}, {1578, 1579}, {1620, 1621}, {1664, 1665}, {1678, 1697}, {1733, 1734}, {1871, 1872}, {1874, 1875},
      {2072, 2073}, {2074, 2075}, {2111, 2112}, {2179, 2180}, {2287, 2288}, {2351, 2352}, {2372, 2371}, {2481, 2482},
      {2494, 2493}, {2522, 2521}, {2637, 2638}, {2651, 2652}, {2665, 2666}, {2715, 2716}, {2718, 2719}, {2721, 2722},
      {2797, 2798}, {2802, 2801}, {2809, 2808}, {2815, 2814}, {40004, 40005}, {40008, 40009}, {40978, 40979},
      {40980, 40981}, {40982, 40983}, {40984, 40985}, {40986, 40987}, {40988, 40989}, {41083, 41084}, {41101, 41102},
      {41107, 41108}, {41256, 41257}, {41320, 41321}, {41324, 41325}, {41458, 41459}, {41476, 41477}, {41482, 41483},
      {41653, 41654}, {41710, 41711}, {41806, 41807}, {41811, 41812}, {41873, 41874}, {41969, 41970}, {42025, 42026},
      {42171, 42172}, {42451, 42452}, {42652, 42653}, {42947, 42948}, {43109, 42684}, {43110, 42486}, {43111, 42982}};
  private static final DataFields STANDARD_FIELDS = of(STANDARD);
  private static final int DIRECT = 4_096;

  /** The data field of each length field, by its tag; 0 if the tag is no length field. */
  private final int[] dataTags = new int[DIRECT];
  /** Length fields beyond that table, ascending. */
  private final int[] farLengthTags;
  private final int[] farDataTags;

  private DataFields(int[][] pairs) {
    SortedMap<Integer, Integer> far = new TreeMap<>();
    for (int[] pair : pairs) {
      if (pair[0] < DIRECT) {
        dataTags[pair[0]] = pair[1];
      } else {
        far.put(pair[0], pair[1]);
      }
    }
    farLengthTags = far.keySet().stream().mapToInt(Integer::intValue).toArray();
    farDataTags = far.values().stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Returns the data fields of the specification.
   *
   * @return a shared instance
   */
  public static DataFields standard() {
    return STANDARD_FIELDS;
  }

  /**
   * Creates the data fields of a dictionary.
   *
   * @param pairs the tags of a length field and its data field
   * @return the fields
   * @throws IllegalArgumentException if an element is no pair, or has a tag that is not positive
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
   * Returns these fields together with those of the specification.
   *
   * @param pairs the tags of a length field and its data field; for the same length field, the later pair counts
   * @return the fields
   */
  public static DataFields standardWith(int[][] pairs) {
    int[][] all = Arrays.copyOf(STANDARD, STANDARD.length + pairs.length);
    System.arraycopy(pairs, 0, all, STANDARD.length, pairs.length);
    return of(all);
  }

  /**
   * Returns these fields together with others.
   *
   * @param others for the same length field, these count
   * @return the fields of both; {@code others} if it has all length fields
   */
  public DataFields with(DataFields others) {
    if (others == this) {
      return this;
    }
    int[][] own = pairs();
    int[][] theirs = others.pairs();
    if (others.announcesAll(own)) { // So sessions with the same dictionary share its table, which takes 16 KiB.
      return others;
    }
    int[][] all = Arrays.copyOf(own, own.length + theirs.length);
    System.arraycopy(theirs, 0, all, own.length, theirs.length);
    return of(all);
  }

  private boolean announcesAll(int[][] pairs) {
    for (int[] pair : pairs) {
      if (dataTag(pair[0]) == 0) {
        return false;
      }
    }
    return true;
  }

  private int[][] pairs() {
    List<int[]> pairs = new ArrayList<>();
    for (int lengthTag = 0; lengthTag < DIRECT; lengthTag++) {
      if (dataTags[lengthTag] != 0) {
        pairs.add(new int[] {lengthTag, dataTags[lengthTag]});
      }
    }
    for (int i = 0; i < farLengthTags.length; i++) {
      pairs.add(new int[] {farLengthTags[i], farDataTags[i]});
    }
    return pairs.toArray(int[][]::new);
  }

  /**
   * Returns the data field that a length field announces.
   *
   * @param lengthTag any tag
   * @return its tag; 0 if the field announces none
   */
  public int dataTag(int lengthTag) {
    if (lengthTag < DIRECT) {
      return lengthTag < 0 ? 0 : dataTags[lengthTag];
    }
    int count = farLengthTags.length;
    if (count == 0 || lengthTag < farLengthTags[0] || lengthTag > farLengthTags[count - 1]) {
      return 0;
    }
    int at = Arrays.binarySearch(farLengthTags, lengthTag);
    return at < 0 ? 0 : farDataTags[at];
  }

  /**
   * Returns the length field that announces a data field.
   *
   * @param dataTag any tag
   * @return its tag; 0 if no field announces it
   */
  public int lengthTag(int dataTag) {
    for (int[] pair : pairs()) {
      if (pair[1] == dataTag) {
        return pair[0];
      }
    }
    return 0;
  }
}
