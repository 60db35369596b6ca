package dev.decant.fake.cluster;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The settings of the brokers, which share them, or of a topic or group, which default to the brokers'. */
public final class Settings {
  private final Map<String, SettingTable.Setting> known;
  private final Map<String, String> values = new TreeMap<>();
  /** The brokers' settings; for the brokers' own settings this object. */
  private final Settings brokers;
  /** Names of the settings that were changed while the brokers ran. */
  private final Set<String> dynamic = new TreeSet<>();

  private Settings(Map<String, SettingTable.Setting> known, @Nullable Settings brokers) {
    this.known = known;
    this.brokers = brokers == null ? this : brokers;
  }

  /** Returns settings of brokers, all at their defaults. */
  public static Settings ofBrokers() {
    return new Settings(SettingTable.ofBrokers(), null);
  }

  /** Returns settings of a topic, all at their defaults. */
  public Settings ofTopic() {
    return new Settings(SettingTable.ofTopics(), this);
  }

  /** Returns settings of a group, all at their defaults. */
  public Settings ofGroup() {
    return new Settings(SettingTable.ofGroups(), this);
  }

  /** Returns an independent copy of the brokers' settings. */
  public Settings copy() {
    Settings copy = new Settings(known, null);
    copy.values.putAll(values);
    return copy;
  }

  /** Restores the brokers' settings from their {@link #copy}. */
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

  /** Returns true if a value was changed while the brokers ran. */
  public boolean isDynamic(String name) {
    return dynamic.contains(name);
  }

  /** Returns the brokers' settings; for the brokers' own settings this object. */
  public Settings brokers() {
    return brokers;
  }

  /** Removes a value, so that the default applies. */
  public void clear(String name) {
    values.remove(name);
    dynamic.remove(name);
  }

  /** Returns the set values. */
  public Map<String, String> overrides() {
    return Map.copyOf(values);
  }

  /** Returns the values that were changed while the brokers ran. */
  Map<String, String> dynamicOverrides() {
    Map<String, String> all = new TreeMap<>(values);
    all.keySet().retainAll(dynamic);
    return all;
  }

  /** Returns the value of a setting. */
  public String get(String name) {
    String value = values.get(name);
    if (value != null) {
      return value;
    }
    SettingTable.Setting setting = definition(name);
    String broker = setting.brokerName();
    return broker == null ? setting.defaultValue() : brokers.get(broker);
  }

  /** Returns the value of an int setting. */
  public int getInt(String name) {
    return Integer.parseInt(get(name));
  }

  /** Returns the value of a long setting. */
  public long getLong(String name) {
    return Long.parseLong(get(name));
  }

  /** Returns the value of a boolean setting. */
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
