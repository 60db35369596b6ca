package dev.decant.fake.cluster;

import dev.decant.kafka.protocol.ApiKey;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The release of Kafka that the cluster imitates: the versions of each API that its brokers offer, from {@code
 * api-versions.txt} beside this class, and the features.
 *
 * @param major first number of the release
 * @param minor second number of the release
 */
public record Release(int major, int minor) implements Comparable<Release> {
  private static final int LAST_OF_2 = 8;
  private static final int LAST_OF_3 = 9;
  private static final int LAST_OF_4 = 4;
  /** The known releases, for messages. */
  public static final String KNOWN = "2.1 to 2." + LAST_OF_2 + ", 3.0 to 3." + LAST_OF_3 + " and 4.0 to 4." + LAST_OF_4;
  /** The oldest release that clients of 4.x support (KIP-896). */
  public static final Release OLDEST = new Release(2, 1);
  /** The newest known release. */
  public static final Release NEWEST = new Release(4, LAST_OF_4);
  /** The default release: that of the test kit's real brokers. */
  public static final Release DEFAULT = new Release(4, 3);

  private static final Map<ApiKey, TreeMap<Release, Range>> VERSIONS = new EnumMap<>(ApiKey.class);

  static {
    SettingTable.lines("api-versions.txt").forEach(Release::add);
  }

  /**
   * The versions of an API that a broker offers.
   *
   * @param lowest first version
   * @param highest last version
   */
  public record Range(short lowest, short highest) {
    /** Returns true if a version is in the range. */
    public boolean contains(int version) {
      return version >= lowest && version <= highest;
    }
  }

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException if there is no such release, or it is older than 2.1 or newer than 4.4
   */
  public Release {
    boolean isOne = switch (major) {
      case 2 -> minor >= 1 && minor <= LAST_OF_2;
      case 3 -> minor >= 0 && minor <= LAST_OF_3;
      case 4 -> minor >= 0 && minor <= LAST_OF_4;
      default -> false;
    };
    if (!isOne) {
      throw new IllegalArgumentException("release " + major + "." + minor + " is not one of " + KNOWN);
    }
  }

  private static void add(String line) {
    String[] part = line.split(" ", -1);
    TreeMap<Release, Range> ranges = new TreeMap<>();
    for (int i = 1; i < part.length; i++) {
      String[] of = part[i].split("[:.-]", -1);
      ranges.put(new Release(Integer.parseInt(of[0]), Integer.parseInt(of[1])),
          new Range(Short.parseShort(of[2]), Short.parseShort(of[3])));
    }
    for (ApiKey api : ApiKey.values()) {
      if (api.label().equals(part[0])) {
        VERSIONS.put(api, ranges);
      }
    }
  }

  /**
   * Returns the versions of an API that both this release and the fake broker's messages have; null if there are none.
   */
  public @Nullable Range versions(ApiKey api) {
    TreeMap<Release, Range> ranges = VERSIONS.get(api);
    Map.Entry<Release, Range> last = ranges == null ? null : ranges.floorEntry(this);
    if (last == null) {
      return null;
    }
    Range offered = Objects.requireNonNull(last.getValue());
    short lowest = (short) Math.max(offered.lowest(), api.lowestVersion());
    short highest = (short) Math.min(offered.highest(), api.highestVersion());
    return lowest > highest ? null : new Range(lowest, highest);
  }

  /** Returns true if this release is that one, or a later one. */
  public boolean isAtLeast(int otherMajor, int otherMinor) {
    return major > otherMajor || (major == otherMajor && minor >= otherMinor);
  }

  @Override
  public int compareTo(Release other) {
    return major == other.major ? Integer.compare(minor, other.minor) : Integer.compare(major, other.major);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
