package dev.decant.fake.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The known settings of topics, groups and brokers, with their types and defaults, from {@code settings.txt} beside
 * this class.
 */
public final class SettingTable {
  private static final Map<String, Setting> OF_TOPICS = new TreeMap<>();
  private static final Map<String, Setting> OF_BROKERS = new TreeMap<>();
  private static final Map<String, Setting> OF_GROUPS = new TreeMap<>();
  /** Settings of brokers to which a topic's settings default: they may change while the brokers run (KIP-226). */
  private static final Set<String> DYNAMIC = new TreeSet<>();
  /** Settings of brokers that DescribeConfigs leaves out. */
  private static final Set<String> INTERNAL = new TreeSet<>();
  private static final Map<String, String> LIMITS = new TreeMap<>();

  static {
    for (String line : lines("setting-limits.txt")) {
      String[] part = line.split(" ", 2);
      LIMITS.put(part[0], part[1]);
    }
    lines("settings.txt").forEach(SettingTable::add);
  }

  private SettingTable() {}

  /**
   * A setting.
   *
   * @param name name of the setting
   * @param type boolean, int, long, double, string or list
   * @param defaultValue default value
   * @param brokerName the broker's setting to which a topic's or group's setting defaults; null for none, and for a
   *     broker's setting
   */
  public record Setting(String name, String type, String defaultValue, @Nullable String brokerName) {
    /**
     * Checks a value.
     *
     * @throws IllegalArgumentException if the value is not of the type
     */
    public void check(String value) {
      String limit = LIMITS.get(name);
      if (type.equals("string") || type.equals("list")) {
        SettingLimit.checkWords(this, value, limit);
      } else if (type.equals("boolean")) {
        SettingLimit.checkBoolean(this, value);
      } else {
        SettingLimit.checkNumber(this, value, limit);
      }
    }
  }

  private static void add(String line) {
    String[] part = line.split(" ", -1);
    String defaultValue = part[3].equals("\"\"") ? "" : part[3];
    if (part[0].equals("topic")) {
      String broker = part[4].equals("-") ? null : part[4];
      OF_TOPICS.put(part[1], new Setting(part[1], part[2], defaultValue, broker));
      if (broker != null) {
        OF_BROKERS.put(broker, new Setting(broker, part[2], defaultValue, null));
        DYNAMIC.add(broker);
        String limit = LIMITS.get(part[1]);
        if (limit != null) {
          LIMITS.put(broker, limit);
        }
      }
    } else if (part[0].equals("group")) {
      OF_GROUPS.put(part[1], new Setting(part[1], part[2], defaultValue, part[4].equals("-") ? null : part[4]));
      String limit = LIMITS.get(part[1]);
      if (limit != null) {
        LIMITS.put(part[4], limit);
      }
    } else {
      OF_BROKERS.put(part[1], new Setting(part[1], part[2], defaultValue, null));
      if (part[0].equals("internal")) {
        INTERNAL.add(part[1]);
      }
    }
  }

  /** Returns the lines of a resource that are neither empty nor comments. */
  static List<String> lines(String resource) {
    try (InputStream in = SettingTable.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not in the jar of the fake broker");
      }
      BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      return reader.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns true if a setting of brokers may change while they run. */
  public static boolean isDynamic(String brokerSetting) {
    return DYNAMIC.contains(brokerSetting);
  }

  /** Returns true if DescribeConfigs leaves a setting of brokers out. */
  public static boolean isInternal(String brokerSetting) {
    return INTERNAL.contains(brokerSetting);
  }

  /** Returns the settings of topics, by name. */
  public static Map<String, Setting> ofTopics() {
    return Collections.unmodifiableMap(OF_TOPICS);
  }

  /** Returns the settings of groups, by name. */
  public static Map<String, Setting> ofGroups() {
    return Collections.unmodifiableMap(OF_GROUPS);
  }

  /** Returns the settings of brokers, by name. */
  public static Map<String, Setting> ofBrokers() {
    return Collections.unmodifiableMap(OF_BROKERS);
  }
}
