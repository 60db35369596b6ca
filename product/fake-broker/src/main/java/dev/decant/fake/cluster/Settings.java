package dev.decant.fake.cluster;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The settings of the brokers, all the same, and of a topic or group, which default to those of the brokers. */
public final class Settings {
  private final Map<String, SettingTable.Setting> known;
  private final Map<String, String> values = new TreeMap<>();
  /** Of a topic those of the brokers; of the brokers itself. */
  private final Settings brokers;
  /** Those that were set while the brokers ran. */
  private final Set<String> dynamic = new TreeSet<>();

  private Settings(Map<String, SettingTable.Setting> known, @Nullable Settings brokers) {
    this.known = known;
    this.brokers = brokers == null ? this : brokers;
  }

  /** Settings of brokers, all at their defaults. */
  public static Settings ofBrokers() {
    return new Settings(SettingTable.ofBrokers(), null);
  }

  /** Settings of a topic, all at their defaults. */
  public Settings ofTopic() {
    return new Settings(SettingTable.ofTopics(), this);
  }

  /** Settings of a group, all at their defaults. */
  public Settings ofGroup() {
    return new Settings(SettingTable.ofGroups(), this);
  }

  /** The same settings of brokers, which change apart from these. */
  public Settings copy() {
    Settings copy = new Settings(known, null);
    copy.values.putAll(values);
    return copy;
  }

  /** Becomes what the settings of brokers were that this is a {@link #copy} of. */
  void become(Settings other) {
    values.clear();
    values.putAll(other.values);
    dynamic.clear();
  }

  /**
   * Sets a value.
   *
   * @throws IllegalArgumentException if there is no such setting, or the value is not of its type
   */
  public void set(String name, String value) {
    definition(name).check(value);
    values.put(name, value.trim());
  }

  /**
   * Sets a value of running brokers, as IncrementalAlterConfigs does.
   *
   * @throws IllegalArgumentException if there is no such setting, or the value is not of its type
   */
  public void setDynamic(String name, String value) {
    set(name, value);
    dynamic.add(name);
  }

  /** Whether a value was set while the brokers ran. */
  public boolean isDynamic(String name) {
    return dynamic.contains(name);
  }

  /** Of a topic the settings of the brokers, of the brokers these. */
  public Settings brokers() {
    return brokers;
  }

  /** Takes a value away, so that the default holds. */
  public void clear(String name) {
    values.remove(name);
    dynamic.remove(name);
  }

  /** What was set. */
  public Map<String, String> overrides() {
    return Map.copyOf(values);
  }

  /** The settings that were changed while the brokers ran. */
  Map<String, String> dynamicOverrides() {
    Map<String, String> all = new TreeMap<>(values);
    all.keySet().retainAll(dynamic);
    return all;
  }

  /** The value of a setting. */
  public String get(String name) {
    String value = values.get(name);
    if (value != null) {
      return value;
    }
    SettingTable.Setting setting = definition(name);
    String broker = setting.brokerName();
    return broker == null ? setting.defaultValue() : brokers.get(broker);
  }

  /** The value of a setting that is a number. */
  public int getInt(String name) {
    return Integer.parseInt(get(name));
  }

  /** The value of a setting that is a number. */
  public long getLong(String name) {
    return Long.parseLong(get(name));
  }

  /** The value of a setting that is true or false. */
  public boolean getBoolean(String name) {
    return Boolean.parseBoolean(get(name));
  }

  private SettingTable.Setting definition(String name) {
    SettingTable.Setting setting = known.get(name);
    if (setting == null) {
      throw new IllegalArgumentException("Unknown setting " + name + "; known are " + known.keySet());
    }
    return setting;
  }
}
