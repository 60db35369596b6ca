package dev.decant.fake.api;

import dev.decant.fake.cluster.SettingTable;
import dev.decant.fake.cluster.Settings;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import dev.decant.kafka.protocol.message.DescribeConfigsResponse.DescribeConfigsSynonym;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Describes and checks the settings of topics and brokers. */
final class TopicConfigs {
  private static final byte OF_TOPIC = 1;
  private static final byte OF_BROKER = 2;
  private static final byte OF_FILE = 4;
  private static final byte DEFAULT = 5;
  /**
   * The setting without a default in responses: Kafka's default is that of log.retention.hours, which is no synonym.
   */
  private static final String WITHOUT_DEFAULT = "log.retention.ms";

  private TopicConfigs() {}

  /**
   * Checks values of settings of a topic.
   *
   * @throws Refusal if there is no such setting, or it cannot have the value
   */
  static void check(Map<String, String> values) throws Refusal {
    for (String name : values.keySet()) {
      if (!SettingTable.ofTopics().containsKey(name)) {
        throw new Refusal(ErrorCode.INVALID_CONFIG, "Unknown topic config name: " + name);
      }
    }
    for (Map.Entry<String, String> one : values.entrySet()) {
      check(Objects.requireNonNull(SettingTable.ofTopics().get(one.getKey())), one.getValue());
    }
  }

  /** Checks the value of a setting. */
  static void check(SettingTable.Setting setting, String value) throws Refusal {
    try {
      setting.check(value);
    } catch (IllegalArgumentException e) {
      throw new Refusal(ErrorCode.INVALID_CONFIG, String.valueOf(e.getMessage()));
    }
  }

  /** Describes all settings of a topic, by name. */
  static List<DescribeConfigsResourceResult> of(Settings topic, boolean withSynonyms) {
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    Map<String, String> overrides = topic.overrides();
    for (SettingTable.Setting setting : SettingTable.ofTopics().values()) {
      List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
      if (overrides.containsKey(setting.name())) {
        synonyms.add(synonym(setting.name(), topic.get(setting.name()), OF_TOPIC));
      }
      addSynonymsOfBrokers(synonyms, setting, topic.brokers());
      all.add(described(setting, topic.get(setting.name()), synonyms, withSynonyms).readOnly(false));
    }
    return all;
  }

  /** Adds the brokers' value of a setting, and its default. */
  static void addSynonymsOfBrokers(List<DescribeConfigsSynonym> synonyms, SettingTable.Setting setting,
      Settings brokers) {
    String name = setting.brokerName();
    if (name != null && brokers.overrides().containsKey(name)) {
      synonyms.add(synonym(name, brokers.get(name), sourceOf(brokers, name)));
    }
    if (name != null && !name.equals(WITHOUT_DEFAULT)) {
      synonyms.add(synonym(name, setting.defaultValue(), DEFAULT));
    }
  }

  /** Describes all settings of the brokers, by name. */
  static List<DescribeConfigsResourceResult> ofBrokers(Settings brokers, boolean withSynonyms) {
    List<DescribeConfigsResourceResult> all = new ArrayList<>();
    for (SettingTable.Setting setting : SettingTable.ofBrokers().values()) {
      boolean isSet = brokers.overrides().containsKey(setting.name());
      if (SettingTable.isInternal(setting.name()) && !isSet) {
        continue;
      }
      List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
      if (isSet) {
        synonyms.add(synonym(setting.name(), brokers.get(setting.name()), sourceOf(brokers, setting.name())));
      }
      synonyms.add(synonym(setting.name(), setting.defaultValue(), DEFAULT));
      all.add(described(setting, brokers.get(setting.name()), synonyms, withSynonyms)
          .readOnly(!SettingTable.isDynamic(setting.name())));
    }
    return all;
  }

  private static byte sourceOf(Settings brokers, String name) {
    return brokers.isDynamic(name) ? OF_BROKER : OF_FILE;
  }

  static DescribeConfigsResourceResult described(SettingTable.Setting setting, String value,
      List<DescribeConfigsSynonym> synonyms, boolean withSynonyms) {
    boolean isNull = value.isEmpty() && setting.type().equals("string");
    return new DescribeConfigsResourceResult().name(setting.name()).value(isNull ? null : value).isSensitive(false)
        .configSource(synonyms.isEmpty() ? DEFAULT : synonyms.getFirst().source())
        .synonyms(withSynonyms ? synonyms : List.of()).configType(typeOf(setting)).documentation(null);
  }

  static DescribeConfigsSynonym synonym(String name, String value, byte source) {
    return new DescribeConfigsSynonym().name(name).value(value).source(source);
  }

  /** Returns the type of a setting in responses (KIP-569). */
  private static byte typeOf(SettingTable.Setting setting) {
    return switch (setting.type()) {
      case "boolean" -> 1;
      case "int" -> 3;
      case "long" -> 5;
      case "double" -> 6;
      case "list" -> 7;
      default -> 2;
    };
  }
}
