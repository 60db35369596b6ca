package dev.decant.kafka.producer;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Settings that go together. A setting that a preset does not name keeps its default. A call wins over the preset,
 * whatever the order of calls. No preset weakens acknowledgements, idempotence or CRC checking.
 */
public enum Preset {
  /** Large batches, for which records wait up to 100 ms. */
  HIGH_THROUGHPUT(Map.of(ProducerSetting.LINGER, 100L, ProducerSetting.BATCH_SIZE, 128L * 1024,
      ProducerSetting.BUFFER_MEMORY, 64L << 20)),
  /** Records do not linger, and a retry comes soon. */
  LOW_LATENCY(Map.of(ProducerSetting.LINGER, 0L, ProducerSetting.BATCH_SIZE, 16L * 1024, ProducerSetting.RETRY_BACKOFF,
      20L, ProducerSetting.RETRY_BACKOFF_MAX, 200L)),
  /** Records survive outages of up to ten minutes, with acknowledgements of all in-sync replicas. */
  RELIABLE(Map.of(ProducerSetting.ACKS, -1L, ProducerSetting.IDEMPOTENCE, 1L, ProducerSetting.DELIVERY_TIMEOUT,
      600_000L, ProducerSetting.MAX_BLOCK, 600_000L, ProducerSetting.RETRY_BACKOFF_MAX, 5_000L));

  @SuppressWarnings("ImmutableEnumChecker") // the constructor makes it unmodifiable
  private final Map<ProducerSetting, Long> settings;

  Preset(Map<ProducerSetting, Long> settings) {
    this.settings = Collections.unmodifiableMap(new EnumMap<>(settings));
  }

  /**
   * The settings of this preset.
   *
   * @return in Kafka's units
   */
  public Map<ProducerSetting, Long> settings() {
    return settings;
  }

  /**
   * The value of a setting under this preset: its own, or the default.
   *
   * @param setting the setting
   * @return in Kafka's unit
   */
  public long value(ProducerSetting setting) {
    return settings.getOrDefault(setting, setting.defaultValue());
  }

  /**
   * Compares this preset with another one.
   *
   * @param other to compare with
   * @return by Kafka's name, the value here and there: {@code linger.ms} to {@code 100 -> 0}
   */
  public Map<String, String> differences(Preset other) {
    Set<ProducerSetting> named = EnumSet.noneOf(ProducerSetting.class);
    named.addAll(settings.keySet());
    named.addAll(other.settings.keySet());
    Map<String, String> differences = new TreeMap<>();
    for (ProducerSetting setting : named) {
      long here = value(setting);
      long there = other.value(setting);
      if (here != there) {
        differences.put(setting.kafkaName(), setting.format(here) + " -> " + setting.format(there));
      }
    }
    return differences;
  }

  /**
   * The settings of this preset as properties of Kafka.
   *
   * @return one line per setting
   */
  public String describe() {
    StringBuilder text = new StringBuilder();
    settings.forEach((setting, value) -> text.append(setting.kafkaName()).append('=').append(setting.format(value))
        .append('\n'));
    return text.toString();
  }
}
